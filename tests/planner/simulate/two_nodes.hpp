// Makes a platform whose figures are easy to tell apart.
#pragma once

#include <limits>

#include "planner/platform/platform.hpp"

namespace cnnplan::test {

inline constexpr std::int64_t any_size = std::numeric_limits<std::int64_t>::max();

// Returns nodes of 4 ranks, with 1 us and 1 GB/s up to 1000 bytes, and 3 us and 10 GB/s beyond.
// Between nodes, groups of `ranks` have 10 us and 0.5 GB/s.
inline Platform two_nodes(int ranks = 8) {
  Platform platform;
  platform.levels = {
      {.name = "node",
       .ranks_per_group = 4,
       .segments = {{.max_bytes = 1000, .alpha_s = 1e-6, .beta_s_per_byte = 1e-9},
                    {.max_bytes = any_size, .alpha_s = 3e-6, .beta_s_per_byte = 1e-10}}},
      {.name = "cluster", .ranks_per_group = ranks, .segments = {{any_size, 10e-6, 2e-9}}}};
  platform.gamma_s_per_byte = 1e-9;
  platform.copy_s_per_byte = 1e-9;
  return platform;
}

}  // namespace cnnplan::test
