// A few ranks that stand for all when costs are added up.
#pragma once

#include <vector>

#include "planner/model/mesh.hpp"

namespace cnnplan {

// The first, the middle and the last rank, ascending, each once.
std::vector<int> sample_ranks(int ranks);

// Under `mesh`, which rank has neighbours on all sides and receives most: in the middle of every
// spatial axis, the second along c, which of stationary_w owns none of the channels that it
// multiplies, and the first along the others, where nobody needs a halo.
int busiest_rank(const Mesh& mesh);

// Ranks among which the slowest is looked for, ascending, each once: those of sample_ranks(), which
// hold the largest and the smallest blocks, and the busiest one of every mesh.
// @pre all meshes have the same number of ranks, at least one mesh
std::vector<int> sample_ranks(const std::vector<const Mesh*>& meshes);

}  // namespace cnnplan
