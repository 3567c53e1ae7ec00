// Local response norm on memory of the device.
#pragma once

#include <cuda_runtime_api.h>

#include "executor/backend/tensor_view.hpp"
#include "planner/kernel/kernel.hpp"

namespace cnnplan::cudnn {

// Operands as KernelSpec documents them. cuDNN's own takes sizes up to 16 only.
void local_response_norm(const KernelSpec& spec,
                         const KernelConstants& constants,
                         Operands operands,
                         cudaStream_t stream);

}  // namespace cnnplan::cudnn
