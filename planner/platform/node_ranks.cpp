// Reads the ranks of a node from the innermost level.
#include "planner/platform/node_ranks.hpp"

#include <algorithm>

namespace cnnplan {

int ranks_on_a_node(const Platform& platform, int ranks) {
  const Level& innermost = platform.levels.front();
  return innermost.name == level_of_nodes ? 1 : std::min(ranks, innermost.ranks_per_group);
}

}  // namespace cnnplan
