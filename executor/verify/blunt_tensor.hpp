// Finds a tensor of which nothing is known, since rounding changes it too much.
#pragma once

#include <string>
#include <vector>

#include "executor/checkpoint/parameter_file.hpp"
#include "executor/verify/tensor_comparison.hpp"
#include "planner/tensor/element.hpp"

namespace cnnplan {

// Returns the first tensor that rounding changes by more than half its L2 norm, or to NaN or
// infinity; empty where there is none. Small norms count as larger ones, because they are mere
// rounding: a gradient as a hundredth of the usual gradient (more in 16 bits), an output as 0.01
// per element, a running mean as the deviation. `precision` is the precision of the plan.
// @pre both lists have one order, in which each running variance follows its mean
std::string blunt_tensor(const std::vector<DumpedTensor>& tensors,
                         const std::vector<TensorComparison>& compared,
                         Precision precision);

}  // namespace cnnplan
