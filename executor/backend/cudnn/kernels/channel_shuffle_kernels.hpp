// Declares the channel shuffle on memory of the device.
#pragma once

#include "executor/backend/cudnn/kernels/kernel_call.hpp"

namespace cnnplan::cudnn {

// Shuffles the channels of x in the phase forward, else undoes the shuffle for the channels of dy.
void channel_shuffle(const KernelCall& call, const OperandsByRole& operands);

}  // namespace cnnplan::cudnn
