// Nearest-neighbour upsampling on memory of the device.
#pragma once

#include <cuda_runtime_api.h>

#include "executor/backend/tensor_view.hpp"
#include "planner/kernel/kernel.hpp"

namespace cnnplan::cudnn {

// Operands as KernelSpec documents them.
void upsample(const KernelSpec& spec, Operands operands, cudaStream_t stream);

}  // namespace cnnplan::cudnn
