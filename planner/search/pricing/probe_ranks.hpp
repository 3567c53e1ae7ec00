// Names a few ranks that do different work, among which costs look for the slowest rank.
#pragma once

#include <vector>

#include "planner/plan/plan.hpp"
#include "planner/tensor/mesh.hpp"

namespace cnnplan {

// Returns the first, the middle and the last rank, ascending, each once.
std::vector<int> probe_ranks(int ranks);

// Returns under `mesh` a rank with this part of the channels that has one of the largest blocks and
// neighbours on all sides. It lies in the middle of every spatial axis. Along the other axes, where
// nobody needs a halo, it is the first. @pre 0 <= channel_part < mesh.size(Axis::c)
int busiest_rank(const Mesh& mesh, int channel_part);

// Returns the ranks among which the slowest is looked for, ascending, each once. They are
// probe_ranks of all ranks, which hold the largest and the smallest blocks, and the busiest rank of
// every mesh. It has the first part of the channels, which is no smaller than other parts. Where a
// layer may be stationary_w, the busiest rank with the second part joins them: it owns none of the
// channels that it multiplies. @pre all meshes have the same number of ranks, at least one mesh
std::vector<int> probe_ranks(const std::vector<const Mesh*>& meshes);

// Returns the ranks among which the slowest is looked for where all layers have this split. The
// rank with the second part of the channels is left out unless the split is stationary_w.
std::vector<int> probe_ranks(const Split& split);

}  // namespace cnnplan
