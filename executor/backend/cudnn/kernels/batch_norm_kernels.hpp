// Batch norm in its four phases, on memory of the device. Operands as KernelSpec documents them.
#pragma once

#include <cstdint>
#include <span>

#include <cuda_runtime_api.h>

#include "executor/backend/cudnn/kernels/step_values.hpp"
#include "executor/backend/tensor_view.hpp"
#include "planner/kernel/kernel.hpp"

namespace cnnplan::cudnn {

// What all phases need beside their operands.
struct BatchNormCall {
  const KernelSpec& spec;
  const KernelConstants& constants;
  const StepValues* step = nullptr;  // of the device
  void* workspace = nullptr;         // of the device
  cudaStream_t stream = nullptr;
};

std::int64_t batch_norm_workspace_bytes(const KernelSpec& spec);
// Statistics and normalisation.
void batch_norm_forward(const BatchNormCall& call, Operands operands);
// Statistics and error signal.
void batch_norm_backward(const BatchNormCall& call, Operands operands);

}  // namespace cnnplan::cudnn
