// Declares the channel shuffle on memory of the device.
#pragma once

#include "executor/backend/cudnn/kernels/kernel_call.hpp"

namespace cnnplan::cudnn {

// Shuffles the channels in the phase forward, else puts those of the gradient back.
void channel_shuffle(const KernelCall& call, const OperandsByRole& operands);

}  // namespace cnnplan::cudnn
