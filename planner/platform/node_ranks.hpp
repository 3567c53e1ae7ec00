// Says how many consecutive ranks share a node of a platform.
#pragma once

#include "planner/platform/platform.hpp"

namespace cnnplan {

// This is the name of the level whose links join nodes. A platform whose innermost level has this
// name was measured with one rank on a node.
inline constexpr const char* level_of_nodes = "cluster";

// Returns how many of `ranks` consecutive ranks share a node, at most. It is 1 if the platform has
// only links between nodes. @pre the platform has a level
int ranks_on_a_node(const Platform& platform, int ranks);

}  // namespace cnnplan
