// Finds the levels of the platform that a group's rings and rounds reach.
#include "planner/cost/group_links.hpp"

#include <algorithm>

namespace cnnplan {
namespace {

// Returns the number of ranks in one group of the level inside `level`. Links of `level` connect
// these groups.
int ranks_inside(const Platform& platform, std::size_t level) {
  return level == 0 ? 1 : platform.levels[level - 1].ranks_per_group;
}

// Returns how many ring messages leave a group of the inner level at once, at most `shared_by`.
// Each ring has `members` ranks in the group and sends one message out of it. All ranks of the
// group are in rings of this form.
double ring_sharing(const Platform& platform, std::size_t level, int members) {
  const double ranks = ranks_inside(platform, level);
  const double shared_by = platform.levels[level].shared_by;
  return std::clamp(ranks / members, 1.0, std::max(1.0, shared_by));
}

// A rank that reaches the next rank over a level is the last rank in its group of the level inside.
void add_ring(const Platform& platform, std::span<const int> group, GroupLinks& links) {
  std::vector<int> first_inside(platform.levels.size(), 0);
  for (int i = 0; i < links.ranks; ++i) {
    for (std::size_t j = 0; j < platform.levels.size(); ++j) {
      const int inside = ranks_inside(platform, j);
      if (group[i] / inside != group[first_inside[j]] / inside) first_inside[j] = i;
    }
    const int next = group[(i + 1) % links.ranks];
    const std::size_t level = level_index_between(platform, group[i], next);
    const int members = i - first_inside[level] + 1;
    const RingEdge link{.level = level, .sharing = ring_sharing(platform, level, members)};
    auto& edges = links.ring_edges;
    if (std::find(edges.begin(), edges.end(), link) == edges.end()) edges.push_back(link);
  }
}

// Finds the outermost level of each series, once for all series in which ranks have equal peers.
class OutermostLevels {
 public:
  OutermostLevels(const Platform& platform, std::span<const int> group)
      : platform_(platform), group_(group) {}

  std::vector<SeriesLinks> of(const std::vector<RoundSeries>& all) {
    std::vector<SeriesLinks> result;
    for (const RoundSeries& series : all) result.push_back({series, level_of(series.peers)});
    return result;
  }

 private:
  struct PeersLevel {
    RoundPeers peers;
    std::size_t level = 0;
  };

  std::size_t level_of(const RoundPeers& peers) {
    const auto known = std::find_if(known_.begin(), known_.end(), [&](const PeersLevel& other) {
      return other.peers == peers;
    });
    if (known != known_.end()) return known->level;
    known_.push_back({peers, outermost(peers)});
    return known_.back().level;
  }

  std::size_t outermost(const RoundPeers& peers) const {
    std::size_t level = 0;
    int position = 0;
    for (int rank : group_) {
      const int receiver = sends_to(peers, position++);
      if (receiver < 0) continue;
      level = std::max(level, level_index_between(platform_, rank, group_[receiver]));
    }
    return level;
  }

  const Platform& platform_;
  std::span<const int> group_;
  std::vector<PeersLevel> known_;
};

}  // namespace

GroupLinks links_of(const Platform& platform, std::span<const int> group, int ranks_per_node) {
  const auto ranks = static_cast<int>(group.size());
  GroupLinks links{.ranks = ranks, .ranks_per_node = ranks_per_node};
  if (ranks < 2) return links;
  links.ring = ring_series(ranks);
  add_ring(platform, group, links);
  OutermostLevels levels(platform, group);
  const auto series_of = [&](AllreduceAlgorithm algorithm) {
    return levels.of(round_series(algorithm, ranks, ranks_per_node));
  };
  links.recursive_doubling = series_of(AllreduceAlgorithm::recursive_doubling);
  links.rabenseifner = series_of(AllreduceAlgorithm::rabenseifner);
  links.hierarchical = series_of(AllreduceAlgorithm::hierarchical);
  return links;
}

}  // namespace cnnplan
