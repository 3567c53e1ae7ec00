// Keeps in which settings a rival differs from its plan, and makes its plan from them.
#pragma once

#include <optional>

#include "planner/plan/plan.hpp"

namespace cnnplan {

// Returns the settings of a rival that is a whole plan.
RivalSettings settings_of(const Plan& rival);

// Returns the plan of a rival of `plan`, without a prediction. Nothing is returned where the plan
// file does not have the rival's settings. @pre the settings are of the plan's network
std::optional<Plan> plan_of_rival(const Plan& plan, const Rival& rival);

}  // namespace cnnplan
