// Scores plans that cost little more than the cheapest one, because their ranks may wait less.
#pragma once

#include "planner/search/plans/scores.hpp"
#include "planner/search/pricing/pricing.hpp"

namespace cnnplan {

// Adds plans to `scores` that are almost optimal in `graph`, a graph of `pricing`. They are the
// best assignments that take another candidate for some unit than the optimum. Each unit offers its
// two best other candidates. The cheapest changes come first, and each change starts from the best
// plan so far that fits. After a change that did not help, changes with equal cost, as of repeated
// blocks, are skipped. At most 16 changes are scored, fewer if there are more than 128 units. If
// more than 16 classes of ranks are walked, six changes in a row that do not help end the attempts.
// Scores nothing if the graph is too entangled. @pre `pricing` belongs to `blank`
void add_near_ties(const Plan& blank,
                   NetworkPricing& pricing,
                   const CostGraph& graph,
                   Scores& scores);

}  // namespace cnnplan
