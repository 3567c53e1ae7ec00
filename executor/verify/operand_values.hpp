// Reads the operands of a backend's kernels as doubles, wherever and however they are stored.
#pragma once

#include <vector>

#include "executor/backend/backend.hpp"
#include "planner/kernel/kernel_operands.hpp"

namespace cnnplan {

// Returns the elements of `operand` of a kernel, which `view` shows in memory of the device. They
// are in channels-last order, but weights of convolutions and their gradients are in plain order.
// Labels and indices are whole numbers. It waits for the device.
std::vector<double> operand_values(Backend& backend,
                                   const KernelSpec& spec,
                                   const KernelOperand& operand,
                                   const TensorView& view);

}  // namespace cnnplan
