// Declares the mean squared error on memory of the device.
#pragma once

#include <cstdint>

#include "executor/backend/cudnn/kernels/kernel_call.hpp"

namespace cnnplan::cudnn {

// Returns the bytes that KernelCall::workspace must have for mean_squared_error().
std::int64_t squared_error_workspace_bytes(const KernelSpec& spec);
// Computes the loss and the differences in the phase forward, else dx.
void mean_squared_error(const KernelCall& call, const OperandsByRole& operands);

}  // namespace cnnplan::cudnn
