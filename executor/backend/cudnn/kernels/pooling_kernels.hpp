// Declares max and average pooling on memory of the device: any window, stride, dilation and
// padding.
#pragma once

#include "executor/backend/cudnn/kernels/kernel_call.hpp"

namespace cnnplan::cudnn {

// Computes y in the phase forward, and for max pooling the index of each maximum; else dx. The
// index of a maximum is the number of its tap in the window, and the first of equal maxima wins.
void pooling(const KernelCall& call, const OperandsByRole& operands);

}  // namespace cnnplan::cudnn
