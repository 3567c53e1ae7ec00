// Declares the local response norm on memory of the device.
#pragma once

#include "executor/backend/cudnn/kernels/kernel_call.hpp"

namespace cnnplan::cudnn {

// Computes the outputs in the phase forward, else the error signal. It sums any number of channels.
// cuDNN's own norm takes at most 16.
void local_response_norm(const KernelCall& call, const OperandsByRole& operands);

}  // namespace cnnplan::cudnn
