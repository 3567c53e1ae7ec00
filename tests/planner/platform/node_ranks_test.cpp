// Tests how many ranks of a platform share a node.
#include "planner/platform/node_ranks.hpp"

#include <doctest/doctest.h>

namespace cnnplan::test {

TEST_CASE("ranks on a node: the innermost level, unless it joins nodes") {
  Platform platform{.levels = {Level{.name = "node", .ranks_per_group = 8},
                               Level{.name = "cluster", .ranks_per_group = 256}}};
  CHECK(ranks_on_a_node(platform, 32) == 8);
  CHECK(ranks_on_a_node(platform, 4) == 4);
  platform.levels.erase(platform.levels.begin());
  CHECK(ranks_on_a_node(platform, 32) == 1);
  platform.levels.front().name = "node";
  CHECK(ranks_on_a_node(platform, 32) == 32);
}

TEST_CASE("ranks on a node: without links between nodes, all ranks share one") {
  const Platform platform{.levels = {Level{.name = "node", .ranks_per_group = 2}}};
  CHECK(ranks_on_a_node(platform, 4) == 4);
}

TEST_CASE("ranks on a node: a level inside the node does not count") {
  const Platform platform{.levels = {Level{.name = "socket", .ranks_per_group = 2},
                                     Level{.name = "node", .ranks_per_group = 4},
                                     Level{.name = "cluster", .ranks_per_group = 8}}};
  CHECK(ranks_on_a_node(platform, 8) == 4);
  CHECK(ranks_of_a_node(platform.levels) == 4);
}

}  // namespace cnnplan::test
