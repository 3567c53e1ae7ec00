// Adds plans that fit where the fastest plan by additive costs does not.
#pragma once

#include "planner/plan/plan.hpp"
#include "planner/search/plans/scores.hpp"
#include "planner/search/pricing/priced_network.hpp"

namespace cnnplan {

// Adds plans that keep less and less for backpropagation, each the fastest by additive costs, until
// one fits. The bytes beyond the kept ones (error signals, workspaces, gaps between buffers) are
// known after lowering only. Further attempts therefore lie between the last two limits. If no plan
// can fit, adds the plan that keeps least.
void add_within_memory(const Plan& blank, const PricedNetwork& priced, Scores& scores);

}  // namespace cnnplan
