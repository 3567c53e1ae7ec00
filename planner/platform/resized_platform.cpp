// Changes the sizes of the two levels of a platform.
#include "planner/platform/resized_platform.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "planner/base/checked.hpp"
#include "planner/base/error.hpp"
#include "planner/json/json_reader.hpp"

namespace cnnplan {
namespace {

[[noreturn]] void refuse(const char* option, int value, std::string allowed) {
  throw InputError({.file = option,
                    .pointer = "",
                    .value = std::to_string(value),
                    .allowed = std::move(allowed)});
}

void require_two_levels(const Platform& platform, int nodes) {
  const std::size_t levels = platform.levels.size();
  if (levels == 2 || (levels == 1 && nodes == 1)) return;
  refuse("--nodes",
         nodes,
         levels < 2 ? "1 on platform " + platform.name + ", which has no links between nodes"
                    : "a platform with the levels node and cluster; " + platform.name + " has " +
                          std::to_string(levels));
}

}  // namespace

Platform resized(Platform platform, int nodes, int ranks_per_node) {
  require_two_levels(platform, nodes);
  const int described = platform.levels.front().ranks_per_group;
  if (platform.measured && ranks_per_node != described) {
    refuse("--ranks-per-node",
           ranks_per_node,
           std::to_string(described) + ", with which the platform was measured");
  }
  const std::int64_t ranks = checked_multiply(nodes, ranks_per_node);
  if (!ranks_range.holds(ranks)) {
    refuse("--nodes", nodes, "at most " + std::to_string(ranks_range.maximum / ranks_per_node));
  }
  if (ranks_per_node == described) return platform;
  platform.name += '-' + std::to_string(nodes) + 'x' + std::to_string(ranks_per_node);
  platform.allreduce.clear();
  platform.levels.front().ranks_per_group = ranks_per_node;
  platform.levels.back().ranks_per_group = static_cast<int>(ranks);
  return platform;
}

}  // namespace cnnplan
