// Finds the level whose groups are nodes.
#include "planner/platform/node_ranks.hpp"

#include <algorithm>

namespace cnnplan {

const Level& node_level(const std::vector<Level>& levels) {
  const auto found = std::find_if(levels.begin(), levels.end(), [](const Level& level) {
    return level.name == level_inside_node;
  });
  return found == levels.end() ? levels.front() : *found;
}

int ranks_of_a_node(const std::vector<Level>& levels) {
  const Level& node = node_level(levels);
  return node.name == level_of_nodes ? 1 : node.ranks_per_group;
}

int ranks_on_a_node(const Platform& platform, int ranks) {
  const Level& node = node_level(platform.levels);
  const bool is_whole_machine = &node == &platform.levels.back() && node.name != level_of_nodes;
  return is_whole_machine ? ranks : std::min(ranks, ranks_of_a_node(platform.levels));
}

}  // namespace cnnplan
