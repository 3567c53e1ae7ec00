// What comes closer to the layers in order when the gradient under multigrid is too far from
// theirs.
#pragma once

#include <vector>

#include "planner/plan/plan.hpp"
#include "planner/run/checkpoint.hpp"

namespace cnnplan {

// The plan with one more cycle of all chains. Those that would take as many as they have coarse
// steps, which computes what the layers compute, run their layers in order instead.
Plan with_one_more_cycle(const Plan& plan);

// The chains of `given` that have other cycles in `now`, which may run them in order.
std::vector<RaisedCycles> raised_cycles(const Plan& given, const Plan& now);
// The plan with these, for the chains that it has.
Plan with_raised_cycles(const Plan& plan, const std::vector<RaisedCycles>& raised);

// The most of any chain; 0 without multigrid.
int most_cycles(const Plan& plan);

}  // namespace cnnplan
