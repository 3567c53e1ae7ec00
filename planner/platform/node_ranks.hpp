// Says how many consecutive ranks share a node of a platform.
#pragma once

#include <vector>

#include "planner/platform/platform.hpp"

namespace cnnplan {

// These are the names of the level whose links are inside a node, and of the level whose links join
// nodes. A platform whose innermost level is level_of_nodes was measured with one rank on a node.
inline constexpr const char* level_inside_node = "node";
inline constexpr const char* level_of_nodes = "cluster";

// Returns the level whose groups are nodes: the one with the name level_inside_node, else the
// innermost. @pre there is a level
const Level& node_level(const std::vector<Level>& levels);

// Returns how many ranks a full node has. It is 1 if the only links are those between nodes.
// @pre there is a level
int ranks_of_a_node(const std::vector<Level>& levels);
// Returns how many of `ranks` consecutive ranks share a node, at most. All do if the platform has
// no links between nodes. @pre the platform has a level
int ranks_on_a_node(const Platform& platform, int ranks);

}  // namespace cnnplan
