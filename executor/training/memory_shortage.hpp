// Adds to the message of a run that lacks memory what its plan says of memory.
#pragma once

#include <functional>

#include "planner/plan/plan.hpp"

namespace cnnplan {

// Calls work(), which runs the plan.
// @throws Error (infeasible) with the plan's memory, where an allocation failed or the plan does
// not fit; other exceptions as they are
void tell_shortage(const Plan& plan, const std::function<void()>& work);

}  // namespace cnnplan
