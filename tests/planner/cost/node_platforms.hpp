// Makes platforms of one node and of two nodes, for tests of collectives.
#pragma once

#include "planner/platform/platform.hpp"

namespace cnnplan::test {

// Returns one node of 8 ranks.
inline Platform one_node() {
  Platform platform;
  platform.levels = {{.name = "node",
                      .ranks_per_group = 8,
                      .segments = {{1 << 30, 1e-6, 1e-10}},
                      .duplex_factor = 1.0,
                      .shared_by = 1}};
  platform.gamma_s_per_byte = 1e-11;
  return platform;
}

// Returns two nodes, each of 4 ranks that share one adapter.
inline Platform two_nodes() {
  Platform platform = one_node();
  platform.levels[0].ranks_per_group = 4;
  platform.levels.push_back({.name = "cluster",
                             .ranks_per_group = 8,
                             .segments = {{1 << 30, 1e-5, 1e-9}},
                             .duplex_factor = 1.0,
                             .shared_by = 4});
  return platform;
}

}  // namespace cnnplan::test
