// Raises the number of multigrid cycles when the gradient is too far from the gradient of the
// layers in order.
#pragma once

#include <vector>

#include "planner/plan/plan.hpp"
#include "planner/run/checkpoint.hpp"

namespace cnnplan {

// Returns the plan with one more cycle in all chains. With as many cycles as layers on level 1,
// multigrid would compute exactly what the layers do. Such a chain runs its layers in order
// instead, as does a chain beyond max_cycles.
Plan with_one_more_cycle(const Plan& plan);

// Returns the chains of `given` that have other cycles in `now`. Chains that `now` runs in order
// have 0 cycles. The list is empty if nothing was raised.
std::vector<RaisedCycles> raised_cycles(const Plan& given, const Plan& now);
// Returns the plan with these cycles for the chains that it has. Chains of `raised` that it lacks
// are ignored. A chain that has more cycles keeps them, unless `raised` has 0, with which its
// layers run in order.
Plan with_raised_cycles(const Plan& plan, const std::vector<RaisedCycles>& raised);

// Returns the largest number of cycles of any chain, or 0 without multigrid.
int most_cycles(const Plan& plan);

}  // namespace cnnplan
