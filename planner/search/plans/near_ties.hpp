// Plans that cost little more than the one that costs least: one of them may wait less.
#pragma once

#include "planner/search/plans/scores.hpp"
#include "planner/search/pricing/pricing.hpp"

namespace cnnplan {

// Scores in virtual time what the best assignments with another candidate for some unit change of
// the optimum of `graph`, one of those of `pricing`: those that cost least first, each on top of
// those that made the step shorter and fit, where many classes of ranks are walked until six in a
// row do not. Of each unit its two best
// other candidates count; of changes that cost the same, as of blocks that repeat, none after one
// that did not help. Nothing where the graph is too entangled. @pre `pricing` is of `blank`
void add_near_ties(const Plan& blank,
                   NetworkPricing& pricing,
                   const CostGraph& graph,
                   Scores& scores);

}  // namespace cnnplan
