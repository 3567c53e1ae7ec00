// Declares softmax cross-entropy on memory of the device.
#pragma once

#include <cstdint>

#include "executor/backend/cudnn/kernels/kernel_call.hpp"

namespace cnnplan::cudnn {

std::int64_t softmax_workspace_bytes(const KernelSpec& spec);
// A label out of range makes the loss not-a-number.
void softmax_cross_entropy(const KernelCall& call, const OperandsByRole& operands);

}  // namespace cnnplan::cudnn
