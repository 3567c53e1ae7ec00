// Reads the operands of a backend's kernels as doubles, wherever and however they are stored.
#pragma once

#include <vector>

#include "executor/backend/backend.hpp"
#include "planner/kernel/kernel_operands.hpp"

namespace cnnplan {

// Returns the elements channels-last. Weights of convolutions and their gradients come in plain
// order, and labels and indices as whole numbers. It waits for the device.
std::vector<double> operand_values(Backend& backend,
                                   const KernelSpec& spec,
                                   const KernelOperand& operand,
                                   const TensorView& view);

}  // namespace cnnplan
