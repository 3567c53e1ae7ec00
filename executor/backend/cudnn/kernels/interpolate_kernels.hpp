// Declares linear upsampling on memory of the device.
#pragma once

#include "executor/backend/cudnn/kernels/kernel_call.hpp"

namespace cnnplan::cudnn {

// Computes the outputs in the phase forward, else the error signal of the input.
void interpolate(const KernelCall& call, const OperandsByRole& operands);

}  // namespace cnnplan::cudnn
