// Softmax cross-entropy on memory of the device.
#pragma once

#include <cstdint>
#include <span>

#include <cuda_runtime_api.h>

#include "executor/backend/cudnn/kernels/step_values.hpp"
#include "executor/backend/tensor_view.hpp"
#include "planner/kernel/kernel.hpp"

namespace cnnplan::cudnn {

std::int64_t softmax_workspace_bytes(const KernelSpec& spec);
// Operands as KernelSpec documents them. A label out of range makes the loss not-a-number.
void softmax_cross_entropy(const KernelSpec& spec,
                           double loss_count,
                           const StepValues* step,
                           void* workspace,
                           Operands operands,
                           cudaStream_t stream);

}  // namespace cnnplan::cudnn
