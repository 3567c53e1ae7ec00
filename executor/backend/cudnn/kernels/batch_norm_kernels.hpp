// Declares batch norm in its four phases, on memory of the device.
#pragma once

#include <cstdint>

#include "executor/backend/cudnn/kernels/kernel_call.hpp"

namespace cnnplan::cudnn {

// Returns the bytes that KernelCall::workspace must have for the phase of `spec`.
std::int64_t batch_norm_workspace_bytes(const KernelSpec& spec);
// Computes the statistics in the phase forward_statistics, else normalises.
void batch_norm_forward(const KernelCall& call, const OperandsByRole& operands);
// Computes the sums for the gradient in the phase backward_statistics, else the error signal.
void batch_norm_backward(const KernelCall& call, const OperandsByRole& operands);

}  // namespace cnnplan::cudnn
