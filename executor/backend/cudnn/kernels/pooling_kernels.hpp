// Max and average pooling on memory of the device: any window, stride, dilation and padding.
#pragma once

#include <span>

#include <cuda_runtime_api.h>

#include "executor/backend/tensor_view.hpp"
#include "planner/kernel/kernel.hpp"

namespace cnnplan::cudnn {

// Operands as KernelSpec documents them. The index of a maximum is the number of its tap; the first
// of equal maxima wins.
void pooling(const KernelSpec& spec, Operands operands, cudaStream_t stream);

}  // namespace cnnplan::cudnn
