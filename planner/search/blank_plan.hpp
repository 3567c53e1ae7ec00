// Makes the plan whose layers the search then splits.
#pragma once

#include "planner/plan/plan.hpp"
#include "planner/search/solve.hpp"

namespace cnnplan {

// Returns a plan of the request's network on the mesh r of all ranks, with the settings of the
// request that hold for all layers.
Plan blank_plan(const SolveRequest& request);
// Returns a blank plan that also has the settings of updates and the algorithms of allreduces: the
// ones that choose_allreduce() finds, or the one that the request demands for gradients.
Plan blank_plan_with_reductions(const SolveRequest& request);

}  // namespace cnnplan
