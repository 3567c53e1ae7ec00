// Finds a tensor of which nothing is known, since rounding changes it too much.
#pragma once

#include <string>
#include <vector>

#include "executor/checkpoint/parameter_file.hpp"
#include "executor/verify/tensor_comparison.hpp"
#include "planner/tensor/element.hpp"

namespace cnnplan {

// Returns the first tensor that rounding changes by half its size, or beyond all numbers; empty
// where there is none. `precision` is that of the plan.
// @pre both lists have one order, in which each running variance follows its mean
std::string blunt_tensor(const std::vector<DumpedTensor>& tensors,
                         const std::vector<TensorComparison>& compared,
                         Precision precision);

}  // namespace cnnplan
