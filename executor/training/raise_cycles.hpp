// Raises the number of multigrid cycles when the gradient is too far from the gradient of the
// layers in order.
#pragma once

#include <vector>

#include "planner/plan/plan.hpp"
#include "planner/run/checkpoint.hpp"

namespace cnnplan {

// Returns the plan with one more cycle in all chains. With as many cycles as coarse steps,
// multigrid computes exactly what the layers do, so such a chain runs its layers in order instead.
Plan with_one_more_cycle(const Plan& plan);

// Returns the chains of `given` whose cycles differ in `now`, where a chain may run in order.
std::vector<RaisedCycles> raised_cycles(const Plan& given, const Plan& now);
// Returns the plan with the raised cycles, for the chains that it has.
Plan with_raised_cycles(const Plan& plan, const std::vector<RaisedCycles>& raised);

// Returns the largest number of cycles of any chain, or 0 without multigrid.
int most_cycles(const Plan& plan);

}  // namespace cnnplan
