// Declares linear upsampling on memory of the device.
#pragma once

#include "executor/backend/cudnn/kernels/kernel_call.hpp"

namespace cnnplan::cudnn {

// Computes y in the phase forward, else dx.
void interpolate(const KernelCall& call, const OperandsByRole& operands);

}  // namespace cnnplan::cudnn
