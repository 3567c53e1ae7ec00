// Describes the same machine with other numbers of nodes and of ranks in a node.
#pragma once

#include "planner/platform/platform.hpp"

namespace cnnplan {

// Returns the platform with `ranks_per_node` ranks in a group of the innermost level, and `nodes`
// nodes in a group of the next one. Links and rates stay. A platform that has this number of ranks
// in a node is returned as it is, whatever `nodes` is. Otherwise, its name gets the sizes, as in
// dgx-h100-4x2. It then loses its allreduces, which only hold for one number of ranks in a node.
// @throws InputError (option "--nodes" or "--ranks-per-node") for a measured platform with another
// number of ranks in a node, for a platform that has not two levels (or one level, for one node),
// and for more ranks than plans may have
Platform resized(Platform platform, int nodes, int ranks_per_node);

}  // namespace cnnplan
