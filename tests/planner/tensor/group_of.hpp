// Makes groups of ranks from lists, for tests.
#pragma once

#include <stdexcept>
#include <vector>

#include "planner/tensor/rank_group.hpp"

namespace cnnplan::test {

// @throws logic_error unless the ranks are evenly spaced
inline RankGroup group_of(const std::vector<int>& ranks) {
  const int stride = ranks.size() > 1 ? ranks[1] - ranks[0] : 1;
  RankGroup group(ranks.at(0), static_cast<int>(ranks.size()), stride);
  if (group.ranks() != ranks) throw std::logic_error("ranks that are not evenly spaced");
  return group;
}

}  // namespace cnnplan::test
