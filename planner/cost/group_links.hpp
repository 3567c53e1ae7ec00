// Says which links the messages of a collective take, and where its ranks are. The time of the
// collective depends on no other property of its group.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <tuple>
#include <vector>

#include "planner/platform/exchange_rounds.hpp"
#include "planner/platform/platform.hpp"
#include "planner/tensor/collective.hpp"
#include "planner/tensor/rank_group.hpp"

namespace cnnplan {

// Describes the links of one level that the messages of a round take.
struct LinkUse {
  std::size_t level = 0;  // an index of the platform's levels
  int sharing = 1;        // the most messages that take one port of the level at once
  bool operator==(const LinkUse&) const = default;
};

// Holds a series of rounds, and the links that its messages take, one entry per level.
struct SeriesLinks {
  RoundSeries series;
  std::vector<LinkUse> links;
};

// Says where the ranks of a group are. A node is a group of the platform's innermost level.
struct GroupPlace {
  int ranks_per_node = 0;  // the most on one node; 0: fewer nodes would hold the group
  int groups_at_once = 1;  // groups that share a node and run the collective at the same time
  bool operator==(const GroupPlace&) const = default;
};

// Holds the rounds of each algorithm of an allreduce over one group, with the links they take.
struct GroupLinks {
  int ranks = 0;           // of the group
  int ranks_per_node = 1;  // adjacent ranks of the group that `hierarchical` treats as one node
  GroupPlace place;
  SeriesLinks ring;
  std::vector<SeriesLinks> recursive_doubling;
  std::vector<SeriesLinks> rabenseifner;
  std::vector<SeriesLinks> hierarchical;
};

// Finds the links of a group in a program of `all_ranks` ranks. All ranks are in groups whose ranks
// lie apart as in this one (RankGroup::around), and all groups run equal collectives at once.
// @pre `ranks_per_node` divides the size of the group
GroupLinks links_of(const Platform& platform,
                    const RankGroup& group,
                    int all_ranks,
                    int ranks_per_node = 1);

// Computes the links of each group once. Several threads may ask at once.
class KnownLinks {
 public:
  // The platform must outlive this object.
  explicit KnownLinks(const Platform& platform) : platform_(platform) {}

  // Returns links_of() these arguments. The result stays valid as long as this object.
  const GroupLinks& of(const RankGroup& group, int all_ranks, int ranks_per_node);

 private:
  const Platform& platform_;
  std::mutex mutex_;
  std::map<std::tuple<RankGroup, int, int>, GroupLinks> known_;
};

}  // namespace cnnplan
