// Ranks that do the same with other samples.
#pragma once

#include "planner/plan/plan.hpp"
#include "planner/platform/platform.hpp"

namespace cnnplan {

// Ranks that are so far apart, or a multiple of it, have the same operations at the same prices,
// and meet ranks that lie to each other alike: the distance is a whole number of samples on every
// mesh of the plan, and leaves the place in all groups of the platform and in the plan's nodes as
// it is. As many as there are ranks where no two are alike: where updates are sharded or sums made
// block by block, where a mesh has replicas or stages, and where it does not cut samples first or
// evenly. @pre validate(plan) holds
int distance_of_like_ranks(const Plan& plan, const Platform& platform);

}  // namespace cnnplan
