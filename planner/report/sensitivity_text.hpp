// Puts into words on which figures of the machine the choices of a plan depend.
#pragma once

#include <string>

#include "planner/plan/plan.hpp"
#include "planner/what_if/sensitivity.hpp"

namespace cnnplan {

// Says what was compared, and has a row for every flip. The end names the runner-ups that no figure
// flips, and the figure on which the plan depends most. If no runner-up was compared, says why.
std::string to_text(const Sensitivity& sensitivity, const Plan& plan);

}  // namespace cnnplan
