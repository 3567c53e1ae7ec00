// Declares softmax cross-entropy on memory of the device.
#pragma once

#include <cstdint>

#include "executor/backend/cudnn/kernels/kernel_call.hpp"

namespace cnnplan::cudnn {

// Returns the bytes that KernelCall::workspace must have for softmax_cross_entropy().
std::int64_t softmax_workspace_bytes(const KernelSpec& spec);
// Computes the loss and the probabilities in the phase forward, else dx. A label outside of [0, C)
// makes the loss not-a-number.
void softmax_cross_entropy(const KernelCall& call, const OperandsByRole& operands);

}  // namespace cnnplan::cudnn
