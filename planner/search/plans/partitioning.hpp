// Says how fast multigrid is with more or fewer partitions than a plan has.
#pragma once

#include "planner/search/plans/scores.hpp"

namespace cnnplan {

// Returns the predicted steps of the network of `scored` with other numbers of partitions. Each
// partition has as many ranks as in this plan, which share out its samples. It tries these numbers:
// - One, with the layers in order on the ranks of one partition.
// - Two, three and powers of two up to twice the plan's number.
// - Further powers of two, up to 1,024 ranks, until multigrid is faster than in order and fits.
// - Numbers in between, to find the least one with which multigrid is faster than in order.
// With the plan's own number, the step is the plan's. Layers outside of chains are split by samples
// or by stage, whichever is faster. Cycles, relaxation, levels and lanes are the plan's. The
// coarsening is close to the plan's and shares the layers out evenly. @pre the plan has multigrid
Partitioning partitioning_of(const ScoredPlan& scored, const PriceList& prices);

}  // namespace cnnplan
