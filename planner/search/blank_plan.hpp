// Makes the plan whose layers the search then splits.
#pragma once

#include "planner/plan/plan.hpp"
#include "planner/search/solve.hpp"

namespace cnnplan {

// Returns a plan of the request's network whose layers all ranks compute alike, with the settings
// of the request that hold for all layers.
Plan blank_plan(const SolveRequest& request);
// Returns a blank plan that also has the algorithms of its reductions.
Plan blank_plan_with_reductions(const SolveRequest& request);

}  // namespace cnnplan
