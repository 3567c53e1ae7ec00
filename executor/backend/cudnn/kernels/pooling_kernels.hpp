// Declares max and average pooling on memory of the device: any window, stride, dilation and
// padding.
#pragma once

#include "executor/backend/cudnn/kernels/kernel_call.hpp"

namespace cnnplan::cudnn {

// Computes the outputs in the phase forward, with the index of each maximum, else the error signal.
// The index of a maximum is the number of its tap, and the first of equal maxima wins.
void pooling(const KernelCall& call, const OperandsByRole& operands);

}  // namespace cnnplan::cudnn
