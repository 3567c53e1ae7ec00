// What the choices of a plan hang on, in words.
#pragma once

#include <string>

#include "planner/plan/plan.hpp"
#include "planner/what_if/sensitivity.hpp"

namespace cnnplan {

// What was compared, a row for every flip, the runner-ups that no figure flips, and the figure that
// the plan hangs on most.
std::string to_text(const Sensitivity& sensitivity, const Plan& plan);

}  // namespace cnnplan
