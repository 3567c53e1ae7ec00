// Adds to the message of a run that lacks memory what its plan says of memory.
#pragma once

#include <functional>

#include "planner/plan/plan.hpp"

namespace cnnplan {

// Calls work(), which runs the plan. Exceptions of it pass, except those for lack of memory.
// @throws Error (infeasible) if an allocation failed or the plan does not fit. Its message is that
// of the exception, or "memory ran out" for std::bad_alloc. The memory that the plan predicts
// follows.
void tell_shortage(const Plan& plan, const std::function<void()>& work);

}  // namespace cnnplan
