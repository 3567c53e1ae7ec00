// Finds a tensor of which nothing is known, since rounding changes it too much.
#pragma once

#include <string>
#include <vector>

#include "executor/checkpoint/parameter_file.hpp"
#include "executor/verify/tensor_comparison.hpp"
#include "planner/tensor/element.hpp"

namespace cnnplan {

// Returns the name of the first tensor that rounding changes by more than half its size, or to NaN
// or infinity; empty where there is none. The size is the L2 norm of the tensor, but at least a
// norm below which the tensor is mere rounding:
// - For a gradient, it is a hundredth of the norm that its share of all gradients would have, or
//   more in 16 bits and tf32.
// - For an output, it is the norm with 0.01 in each element.
// - For a running mean, it is the norm of the standard deviations (root_norm of the variances).
// `tensors` describes the tensors, and `compared` has their comparisons. `precision` is the
// precision of the plan.
// @pre both lists have one order, in which each running variance follows its mean
std::string blunt_tensor(const std::vector<DumpedTensor>& tensors,
                         const std::vector<TensorComparison>& compared,
                         Precision precision);

}  // namespace cnnplan
