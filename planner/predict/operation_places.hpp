// Completes plan files of schema /1, which do not say what part of the step an operation is.
#pragma once

#include <string>

#include "planner/plan/plan.hpp"

namespace cnnplan {

// Returns the plan with the part, layer and level of each operation of its prediction. They are the
// ones that lowering the plan gives to the operation of this id. A sum of error signals that only
// earlier programs lowered belongs to the layer in its id. Plans whose operations all have a part
// are returned as they are, without lowering. `file` is the plan's, for errors.
// @pre validate(plan) holds
// @throws InputError (pointer into plan.json) for any other id that the lowering does not have
Plan with_places(Plan plan, const std::string& file);

}  // namespace cnnplan
