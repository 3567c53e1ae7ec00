// Scores plans that cost little more than the cheapest one, because their ranks may wait less.
#pragma once

#include "planner/search/plans/scores.hpp"
#include "planner/search/pricing/pricing.hpp"

namespace cnnplan {

// Adds plans to `scores` that are almost optimal in `graph`, a graph of `pricing`. It first adds
// the optimum. Then it adds the best assignments with another candidate for some unit that cost at
// most 10 % more. Each unit offers its two best other candidates. The cheapest changes come first.
// The first change starts from the optimum, whether or not it fits. Later ones start from the last
// change that fits and is faster. After a change that did not help, changes with equal cost, as of
// repeated blocks, are skipped. At most 16 changes are scored, fewer if there are more than 128
// units. If more than 16 classes of ranks are walked, six changes in a row that do not help end the
// attempts. Scores nothing if the graph is too entangled. `blank` gives network, ranks, batch and
// options; its splits do not matter. @pre `pricing` was made from `blank`
void add_near_ties(const Plan& blank,
                   NetworkPricing& pricing,
                   const CostGraph& graph,
                   Scores& scores);

}  // namespace cnnplan
