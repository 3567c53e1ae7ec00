// Makes the plan of a rival again, which a plan file only names.
#pragma once

#include <optional>

#include "planner/plan/plan.hpp"
#include "planner/predict/price.hpp"

namespace cnnplan {

// The step of a plan that was made again may differ by this share from the step of the rival.
inline constexpr double same_rival_step = 1e-3;

// Returns the plan of a rival of `plan`, with a prediction and with the reductions of `plan`.
// Returns nothing if the name of the rival is no mesh, or if the predicted step differs from the
// rival's by more than same_rival_step. @pre the prices are those of the plan
std::optional<Plan> plan_of_rival(const Plan& plan, const Rival& rival, const PriceList& prices);

}  // namespace cnnplan
