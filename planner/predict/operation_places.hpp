// Completes plan files of schema /1, which do not say what part of the step an operation is.
#pragma once

#include <string>

#include "planner/plan/plan.hpp"

namespace cnnplan {

// Lowers the plan, and gives each operation of its prediction the part, layer and level that the
// lowering gives to the id. Plans whose operations all have a part are returned as they are.
// @pre validate(plan) holds
// @throws InputError (pointer into plan.json) for an id that the lowering does not have
Plan with_places(Plan plan, const std::string& file);

}  // namespace cnnplan
