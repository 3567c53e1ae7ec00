// Adds up the critical path of a step by its parts.
#pragma once

#include <vector>

#include "planner/plan/plan.hpp"

namespace cnnplan {

// Returns the parts of the critical path, in the order of their enumerators. Parts that are not on
// the path are left out. The times add up to the step if its critical path is known.
// @pre operations of the prediction have a part: with_places completes plans of schema /1
std::vector<PartTime> parts_of(const Prediction& prediction);

}  // namespace cnnplan
