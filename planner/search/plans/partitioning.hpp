// What multigrid gains with more or fewer partitions than a plan has.
#pragma once

#include "planner/search/plans/scores.hpp"

namespace cnnplan {

// Steps of `scored` by multigrid with other numbers of partitions, each on as many ranks as share
// out its samples in that plan: in order on these ranks alone, 2 and 3 partitions and powers of two
// up to twice those of the plan, on to where multigrid is faster than in order (and fits) if it is
// not yet, up to 1,024 ranks, and where it first is. With as many as the plan has, that is the
// plan. Layers outside of chains are split by samples or by stage, whichever is faster; cycles,
// relaxation, levels and lanes are the plan's, the coarsening as close to the plan's as shares out
// the layers evenly. @pre the plan has multigrid
Partitioning partitioning_of(const ScoredPlan& scored, const PriceList& prices);

}  // namespace cnnplan
