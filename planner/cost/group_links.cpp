// Finds the ports that a group's rings and rounds take, and counts the messages that share them.
#include "planner/cost/group_links.hpp"

#include <algorithm>
#include <utility>

#include "planner/platform/node_ranks.hpp"

namespace cnnplan {
namespace {

enum class Direction { out, in };

// Counts the messages of all groups in rounds with equal peers.
class RoundMessages {
 public:
  RoundMessages(const Platform& platform, const RankGroup& group, int all_ranks)
      : platform_(platform), group_(group), all_ranks_(all_ranks) {}

  // Returns the links that messages of the group take.
  std::vector<LinkUse> links(const RoundPeers& peers) const {
    std::vector<LinkUse> uses;
    for (const Direction direction : {Direction::out, Direction::in}) add(peers, direction, uses);
    return uses;
  }

 private:
  void add(const RoundPeers& peers, Direction direction, std::vector<LinkUse>& uses) const {
    int counted = -1;  // a rank whose port was counted last
    std::size_t counted_level = 0;
    for (int position = 0; position < group_.size(); ++position) {
      const int other = peer_of(peers, position, direction);
      if (other < 0) continue;
      const int rank = group_[position];
      const std::size_t level = level_index_between(platform_, rank, group_[other]);
      const bool is_counted = counted >= 0 && level == counted_level &&
                              port_of(platform_, level, rank) == port_of(platform_, level, counted);
      if (is_counted) continue;
      counted = rank;
      counted_level = level;
      raise(uses, {level, messages_at_port(peers, direction, level, rank)});
    }
  }

  static int peer_of(const RoundPeers& peers, int position, Direction direction) {
    return direction == Direction::out ? sends_to(peers, position) : receives_from(peers, position);
  }

  static void raise(std::vector<LinkUse>& uses, const LinkUse& use) {
    const auto found = std::find_if(
        uses.begin(), uses.end(), [&](const LinkUse& one) { return one.level == use.level; });
    if (found == uses.end()) {
      uses.push_back(use);
    } else {
      found->sharing = std::max(found->sharing, use.sharing);
    }
  }

  int messages_at_port(const RoundPeers& peers,
                       Direction direction,
                       std::size_t level,
                       int rank) const {
    const int shared_by = platform_.levels[level].shared_by;
    if (shared_by <= 1) return 1;
    const int port = port_of(platform_, level, rank);
    const int end = std::min(all_ranks_, rank + shared_by);
    int messages = 0;
    for (int other = std::max(0, rank - shared_by + 1); other < end; ++other) {
      if (port_of(platform_, level, other) != port) continue;
      messages += has_message(peers, direction, level, other) ? 1 : 0;
    }
    return std::max(1, messages);
  }

  bool has_message(const RoundPeers& peers,
                   Direction direction,
                   std::size_t level,
                   int rank) const {
    const RankGroup group = group_.around(rank);
    const int other = peer_of(peers, group.position_of(rank), direction);
    if (other < 0) return false;
    const int peer = group[other];
    return peer >= 0 && peer < all_ranks_ && level_index_between(platform_, rank, peer) == level;
  }

  const Platform& platform_;
  const RankGroup& group_;
  int all_ranks_;
};

// Finds the links of each series, once for all series in which ranks have equal peers.
class SeriesFinder {
 public:
  SeriesFinder(const Platform& platform, const RankGroup& group, int all_ranks)
      : messages_(platform, group, all_ranks) {}

  SeriesLinks of(const RoundSeries& series) { return {series, links(series.peers)}; }
  std::vector<SeriesLinks> of(const std::vector<RoundSeries>& all) {
    std::vector<SeriesLinks> result;
    for (const RoundSeries& series : all) result.push_back(of(series));
    return result;
  }

 private:
  struct PeersLinks {
    RoundPeers peers;
    std::vector<LinkUse> links;
  };

  const std::vector<LinkUse>& links(const RoundPeers& peers) {
    const auto known = std::find_if(known_.begin(), known_.end(), [&](const PeersLinks& other) {
      return other.peers == peers;
    });
    if (known != known_.end()) return known->links;
    known_.push_back({peers, messages_.links(peers)});
    return known_.back().links;
  }

  RoundMessages messages_;
  std::vector<PeersLinks> known_;
};

// Returns how many times as many ranks a node has as the group has there.
int groups_on(int node, int members, int node_ranks, int all_ranks) {
  const int ranks = std::min(node_ranks, all_ranks - node * node_ranks);
  return (ranks + members - 1) / members;
}

GroupPlace place_of(const Platform& platform, const RankGroup& group, int all_ranks) {
  const int node_ranks = ranks_of_a_node(platform.levels);
  GroupPlace place;
  int nodes = 0;
  for (int begin = 0; begin < group.size(); ++nodes) {
    const int node = group[begin] / node_ranks;
    int end = begin + 1;
    while (end < group.size() && group[end] / node_ranks == node) ++end;
    const int members = end - begin;
    place.ranks_per_node = std::max(place.ranks_per_node, members);
    place.groups_at_once =
        std::max(place.groups_at_once, groups_on(node, members, node_ranks, all_ranks));
    begin = end;
  }
  const bool is_regular = (nodes - 1) * place.ranks_per_node < group.size();
  if (!is_regular) place.ranks_per_node = 0;
  return place;
}

}  // namespace

GroupLinks links_of(const Platform& platform,
                    const RankGroup& group,
                    int all_ranks,
                    int ranks_per_node) {
  const int ranks = group.size();
  GroupLinks links{.ranks = ranks, .ranks_per_node = ranks_per_node};
  if (ranks < 2) return links;
  links.place = place_of(platform, group, all_ranks);
  SeriesFinder finder(platform, group, all_ranks);
  links.ring = finder.of(ring_series(ranks));
  links.recursive_doubling = finder.of(round_series(AllreduceAlgorithm::recursive_doubling, ranks));
  links.rabenseifner = finder.of(round_series(AllreduceAlgorithm::rabenseifner, ranks));
  links.hierarchical =
      finder.of(round_series(AllreduceAlgorithm::hierarchical, ranks, ranks_per_node));
  return links;
}

// Two threads may find the links of one group at the same time.
const GroupLinks& KnownLinks::of(const RankGroup& group, int all_ranks, int ranks_per_node) {
  const std::tuple key(group, all_ranks, ranks_per_node);
  {
    const std::scoped_lock lock(mutex_);
    const auto found = known_.find(key);
    if (found != known_.end()) return found->second;
  }
  GroupLinks links = links_of(platform_, group, all_ranks, ranks_per_node);
  const std::scoped_lock lock(mutex_);
  return known_.emplace(key, std::move(links)).first->second;
}

}  // namespace cnnplan
