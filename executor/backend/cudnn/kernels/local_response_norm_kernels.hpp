// Declares the local response norm on memory of the device.
#pragma once

#include "executor/backend/cudnn/kernels/kernel_call.hpp"

namespace cnnplan::cudnn {

// Computes y in the phase forward, else dx. It sums any number of channels, unlike cuDNN's own
// norm, which takes at most 16.
void local_response_norm(const KernelCall& call, const OperandsByRole& operands);

}  // namespace cnnplan::cudnn
