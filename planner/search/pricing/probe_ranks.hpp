// A few ranks that stand for all when costs are added up.
#pragma once

#include <cstdint>
#include <vector>

#include "planner/plan/plan.hpp"
#include "planner/platform/platform.hpp"
#include "planner/tensor/mesh.hpp"

namespace cnnplan {

// The first, the middle and the last rank, ascending, each once.
std::vector<int> sample_ranks(int ranks);

// Under `mesh`, a rank with this part of the channels that has neighbours on all sides, and
// otherwise one of the largest blocks: in the middle of every spatial axis, the first along the
// others, where nobody needs a halo. @pre 0 <= channel_part < mesh.size(Axis::c)
int busiest_rank(const Mesh& mesh, int channel_part);

// Ranks among which the slowest is looked for, ascending, each once: those of sample_ranks(), which
// hold the largest and the smallest blocks, and of every mesh the busiest one with the first part
// of the channels, which are no fewer than others have; where a layer may be stationary_w, also
// that with the second, which owns none of those that it multiplies.
// @pre all meshes have the same number of ranks, at least one mesh
std::vector<int> sample_ranks(const std::vector<const Mesh*>& meshes);

// The same where all layers are split so: without the second where none is stationary_w.
std::vector<int> sample_ranks(const Split& split);

// The first rank that has the same to do as `rank`, at the same prices, where all layers are on
// `mesh`, none sums block by block and updates are whole: on other samples, as many of them, in the
// same place of its node and of all larger groups of ranks. @pre 0 <= rank < mesh.rank_count()
int first_alike(const Platform& platform, const Mesh& mesh, std::int64_t batch, int rank);

}  // namespace cnnplan
