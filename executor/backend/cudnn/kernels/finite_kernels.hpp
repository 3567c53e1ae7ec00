// Looks for numbers that are not finite, in memory of the device.
#pragma once

#include <cstdint>

#include <cuda_runtime_api.h>

#include "planner/tensor/element.hpp"

namespace cnnplan::cudnn {

// Sets `found`, in memory of the device, to 1 if one of `count` numbers is NaN or infinite.
// Otherwise `found` stays. The work is put in `stream`. @throws as launch()
void mark_not_finite(ElementType element,
                     const void* memory,
                     std::int64_t count,
                     std::uint32_t* found,
                     cudaStream_t stream);

}  // namespace cnnplan::cudnn
