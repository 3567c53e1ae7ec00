// Says which links the messages of a collective take. The time of the collective depends on no
// other property of its group.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "planner/platform/exchange_rounds.hpp"
#include "planner/platform/platform.hpp"
#include "planner/tensor/collective.hpp"

namespace cnnplan {

// Describes a kind of link between neighbours in a ring of ranks.
struct RingEdge {
  std::size_t level = 0;  // of the platform
  double sharing = 1.0;   // messages of equal rings that leave over this link at once
  bool operator==(const RingEdge&) const = default;
};

// Holds a series of rounds, and the outermost level of the platform that its messages take.
struct SeriesLinks {
  RoundSeries series;
  std::size_t level = 0;
};

struct GroupLinks {
  int ranks = 0;
  int ranks_per_node = 1;            // for `hierarchical`
  RoundSeries ring;                  // the series of `ring`
  std::vector<RingEdge> ring_edges;  // links from each rank to the next, each kind once
  std::vector<SeriesLinks> recursive_doubling;
  std::vector<SeriesLinks> rabenseifner;
  std::vector<SeriesLinks> hierarchical;
};
// @pre `group` is ascending; `ranks_per_node` divides its size
GroupLinks links_of(const Platform& platform, std::span<const int> group, int ranks_per_node = 1);

}  // namespace cnnplan
