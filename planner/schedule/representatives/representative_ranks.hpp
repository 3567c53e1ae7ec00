// Says which ranks do the same work on other samples, so that one rank represents the others.
#pragma once

#include <vector>

#include "planner/plan/plan.hpp"
#include "planner/platform/platform.hpp"
#include "planner/tensor/mesh.hpp"

namespace cnnplan {

// Returns the distance at which ranks represent each other in the whole plan, where they also wait
// as long. Ranks that are a multiple of it apart run the same operations at the same prices, and
// exchange messages with ranks that represent each other, too.
// The distance is a whole number of samples on every mesh of the plan. It keeps the place of a rank
// in all groups of the platform and in the plan's nodes. It is plan.ranks where no rank represents
// another: updates are sharded, sums are made block by block, a mesh has replicas or stages, or a
// mesh does not cut samples first and evenly. @pre validate(plan) holds
int representative_distance(const Plan& plan, const Platform& platform);

// Returns the lowest rank that runs the same operations at the same prices as `rank` in the layers
// of `plan` that are on `mesh`. It has as many samples and the same place in all groups of the
// platform. On a mesh that splits samples only, it is rank 0, because ranks exchange nothing but
// sums over all of them. Unlike representative_distance, this function leaves out how long ranks
// wait. A mesh may thus have replicas, and may cut samples after other axes. Returns `rank` where
// no other rank represents it. @pre mesh.rank_count() == plan.ranks, 0 <= rank < plan.ranks
int representative_rank(const Plan& plan, const Mesh& mesh, const Platform& platform, int rank);

// Returns representative_rank() of each of `ranks`, ascending, each once.
std::vector<int> representative_ranks(const Plan& plan,
                                      const Mesh& mesh,
                                      const Platform& platform,
                                      const std::vector<int>& ranks);

}  // namespace cnnplan
