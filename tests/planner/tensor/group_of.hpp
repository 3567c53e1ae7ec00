// Makes groups of ranks from lists, for tests.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "planner/tensor/rank_group.hpp"

namespace cnnplan::test {

// Makes a group of equal runs that are evenly spaced, as {0, 1, 4, 5} or {2, 4, 6}.
// @throws logic_error for other lists
inline RankGroup group_of(const std::vector<int>& ranks) {
  const auto count = static_cast<int>(ranks.size());
  const int stride = count > 1 ? ranks[1] - ranks[0] : 1;
  RankGroup group(ranks.at(0), count, stride);
  if (group.ranks() == ranks) return group;
  const auto is_last = [&](int a, int b) { return b - a != stride; };
  const auto last = std::adjacent_find(ranks.begin(), ranks.end(), is_last);
  const auto run = static_cast<int>(last - ranks.begin()) + 1;
  const int between = (ranks.at(run) - ranks[0]) / (run * stride);
  const Mesh mesh({{Axis::n, count / run}, {Axis::c, between}, {Axis::h, run}, {Axis::w, stride}});
  group = RankGroup(mesh, ranks[0], {Axis::c, Axis::w});
  if (group.ranks() != ranks) throw std::logic_error("ranks that are not evenly spaced");
  return group;
}

}  // namespace cnnplan::test
