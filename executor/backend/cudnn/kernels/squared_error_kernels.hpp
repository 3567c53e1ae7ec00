// Declares the mean squared error on memory of the device.
#pragma once

#include <cstdint>

#include "executor/backend/cudnn/kernels/kernel_call.hpp"

namespace cnnplan::cudnn {

std::int64_t squared_error_workspace_bytes(const KernelSpec& spec);
void mean_squared_error(const KernelCall& call, const OperandsByRole& operands);

}  // namespace cnnplan::cudnn
