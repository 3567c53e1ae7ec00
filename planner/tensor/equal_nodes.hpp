// Says where ranks fill several nodes of equal size.
#pragma once

namespace cnnplan {

// True where runs of `ranks_per_node` of these ranks are several nodes of several ranks each.
constexpr bool has_equal_nodes(int ranks, int ranks_per_node) {
  return ranks_per_node > 1 && ranks_per_node < ranks && ranks % ranks_per_node == 0;
}

}  // namespace cnnplan
