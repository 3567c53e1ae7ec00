// Computes the time of collectives on the levels of a platform, message by message.
#include "planner/cost/collectives.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <stdexcept>

#include "planner/cost/links.hpp"
#include "planner/platform/chunk_sizes.hpp"
#include "planner/platform/fold.hpp"

namespace cnnplan {
namespace {

constexpr double chunk_inside_node = chunk_bytes_inside_node;
constexpr double chunk_between_nodes = chunk_bytes_between_nodes;

// Returns the number of ranks in one group of the level inside `level`. Links of `level` connect
// these groups.
int ranks_inside(const Platform& platform, std::size_t level) {
  return level == 0 ? 1 : platform.levels[level - 1].ranks_per_group;
}

// Returns how many ring messages leave a group of the inner level at once, at most `shared_by`.
// Each ring has `members` ranks in the group and sends one message out of it. All ranks of the
// group are in rings of this form.
double ring_sharing(const Platform& platform, std::size_t level, int members) {
  const double messages = static_cast<double>(ranks_inside(platform, level)) / members;
  const double shared_by = platform.levels[level].shared_by;
  return std::clamp(messages, 1.0, std::max(1.0, shared_by));
}

// Says which ring is priced: the executor's own, by measured steps where there are any, or a ring
// of plain messages.
enum class Ring { own, of_messages };

// Returns the fraction of a ring's steps that add. Every step is charged this fraction of gamma.
double adding_steps(CollectiveKind kind) {
  if (kind == CollectiveKind::allgather) return 0.0;
  return kind == CollectiveKind::reduce_scatter ? 1.0 : 0.5;
}

double ring_step_s(
    const Platform& platform, const RingEdge& link, double bytes, Ring ring, CollectiveKind kind) {
  const Level& level = platform.levels[link.level];
  const std::vector<Segment>& segments = ring_segments(level, kind);
  if (ring == Ring::own && !segments.empty()) {
    const Segment& measured = segment_of(segments, bytes);
    return measured.alpha_s + link.sharing * measured.beta_s_per_byte * bytes;
  }
  const double gamma_s = bytes * platform.gamma_s_per_byte * adding_steps(kind);
  return gamma_s + level.duplex_factor * ring_block_s(platform, link.level, bytes, link.sharing);
}

double ring_time_s(const Platform& platform,
                   const GroupLinks& links,
                   double bytes,
                   Ring ring,
                   CollectiveKind kind = CollectiveKind::allreduce) {
  const auto ranks = static_cast<double>(links.ranks);
  double step_s = 0.0;
  for (const RingEdge& link : links.ring) {
    step_s = std::max(step_s, ring_step_s(platform, link, bytes / ranks, ring, kind));
  }
  return (kind == CollectiveKind::allreduce ? 2 : 1) * (ranks - 1) * step_s;
}

// Returns the time of a round, in which all ranks exchange a message both ways at once.
double round_s(const Platform& platform, std::size_t level_index, double bytes) {
  const Level& level = platform.levels[level_index];
  const Segment& segment = segment_of(level.segments, bytes);
  return level.duplex_factor *
         (segment.alpha_s + segment.beta_s_per_byte * level.shared_by * bytes);
}

// Ranks beyond a power of two send their values to a neighbour and receive the sum at the end.
double fold_s(const Platform& platform, const GroupLinks& links, double bytes) {
  if (is_power_of_two(links.ranks)) return 0.0;
  return 2 * round_s(platform, links.fold, bytes) + bytes * platform.gamma_s_per_byte;
}

// Adds up the rounds of recursive doubling (Thakur 2005), each on the level that its messages take.
double doubling_s(const Platform& platform, const GroupLinks& links, double bytes) {
  double sum_s = fold_s(platform, links, bytes);
  for (std::size_t level : links.rounds) {
    sum_s += round_s(platform, level, bytes) + bytes * platform.gamma_s_per_byte;
  }
  return sum_s;
}

// Adds up recursive halving, which begins with neighbours, and recursive doubling, which takes
// these levels in reverse order.
double halving_s(const Platform& platform, const std::vector<std::size_t>& levels, double bytes) {
  double sum_s = 0.0;
  for (std::size_t level : levels) {
    bytes /= 2;
    sum_s += 2 * round_s(platform, level, bytes) + bytes * platform.gamma_s_per_byte;
  }
  return sum_s;
}

double rabenseifner_s(const Platform& platform, const GroupLinks& links, double bytes) {
  return fold_s(platform, links, bytes) + halving_s(platform, links.rounds, bytes);
}

// Adds up rings inside the nodes and, between the nodes, sums of slices. All slices leave a node at
// once.
double hierarchical_s(const Platform& platform, const GroupLinks& links, double bytes) {
  const double inside = links.ranks_per_node;
  const int nodes = links.ranks / links.ranks_per_node;
  double sum_s = 0.0;
  const auto add_rings = [&](std::size_t level, double ranks) {
    const double slice = bytes / ranks;
    sum_s +=
        (ranks - 1) * (2 * round_s(platform, level, slice) + slice * platform.gamma_s_per_byte);
    bytes = slice;
  };
  if (links.ranks_per_node > 1) add_rings(links.inside_nodes, inside);
  if (nodes == 1) return sum_s;
  if (is_power_of_two(nodes)) return sum_s + halving_s(platform, links.between_nodes, bytes);
  add_rings(links.between_nodes.front(), nodes);
  return sum_s;
}

struct Fastest {
  AllreduceAlgorithm algorithm = AllreduceAlgorithm::recursive_doubling;
  double seconds = 0.0;
};

// Returns the fastest of the algorithms that the library may run.
Fastest fastest(const Platform& platform, const GroupLinks& links, double bytes) {
  const std::array<Fastest, 3> candidates{
      Fastest{AllreduceAlgorithm::recursive_doubling, doubling_s(platform, links, bytes)},
      Fastest{AllreduceAlgorithm::rabenseifner, rabenseifner_s(platform, links, bytes)},
      Fastest{AllreduceAlgorithm::ring, ring_time_s(platform, links, bytes, Ring::of_messages)}};
  return *std::min_element(
      candidates.begin(), candidates.end(), [](const Fastest& a, const Fastest& b) {
        return a.seconds < b.seconds;
      });
}

// A rank that reaches the next rank over a level is the last rank in its group of the level inside.
void add_ring(const Platform& platform, std::span<const int> group, GroupLinks& links) {
  std::vector<std::size_t> first_inside(platform.levels.size(), 0);
  for (std::size_t i = 0; i < group.size(); ++i) {
    for (std::size_t j = 0; j < platform.levels.size(); ++j) {
      const int inside = ranks_inside(platform, j);
      if (group[i] / inside != group[first_inside[j]] / inside) first_inside[j] = i;
    }
    const std::size_t level =
        level_index_between(platform, group[i], group[(i + 1) % group.size()]);
    const int members = static_cast<int>(i - first_inside[level]) + 1;
    const RingEdge link{.level = level, .sharing = ring_sharing(platform, level, members)};
    const bool is_known = std::find(links.ring.begin(), links.ring.end(), link) != links.ring.end();
    if (!is_known) links.ring.push_back(link);
  }
}

void add_rounds(const Platform& platform, std::span<const int> group, GroupLinks& links) {
  const Fold fold(links.ranks);
  const auto rank_at = [&](int position) { return group[static_cast<std::size_t>(position)]; };
  const auto level_of = [&](int a, int b) {
    return level_index_between(platform, rank_at(a), rank_at(b));
  };
  for (int i = 0; i < fold.folded; ++i) {
    links.fold = std::max(links.fold, level_of(2 * i, 2 * i + 1));
  }
  for (int distance = 1; distance < fold.core_ranks; distance *= 2) {
    std::size_t outermost = 0;
    for (int core = 0; core < fold.core_ranks; ++core) {
      const int partner = core ^ distance;
      outermost = std::max(outermost, level_of(fold.position_of(core), fold.position_of(partner)));
    }
    links.rounds.push_back(outermost);
  }
}

std::size_t outermost_of_ring(const GroupLinks& links) {
  std::size_t level = 0;
  for (const RingEdge& link : links.ring) level = std::max(level, link.level);
  return level;
}

// Every rank is a node of its own, so messages between nodes are messages between ranks.
void add_flat_hierarchy(GroupLinks& links) {
  const bool halves = is_power_of_two(links.ranks);
  links.between_nodes = halves ? links.rounds : std::vector{outermost_of_ring(links)};
}

void add_hierarchy(const Platform& platform, std::span<const int> group, GroupLinks& links) {
  if (links.ranks_per_node == 1) return add_flat_hierarchy(links);
  const auto size = static_cast<int>(group.size());
  const int inside = links.ranks_per_node;
  const int nodes = size / inside;
  const auto outermost = [&](auto partner_of) {
    std::size_t level = 0;
    for (int i = 0; i < size; ++i) {
      const int partner = partner_of(i);
      if (partner == i) continue;
      level = std::max(level,
                       level_index_between(platform,
                                           group[static_cast<std::size_t>(i)],
                                           group[static_cast<std::size_t>(partner)]));
    }
    return level;
  };
  links.inside_nodes = outermost(
      [&](int i) { return i / inside * inside + (i + 1 - i / inside * inside) % inside; });
  if (!is_power_of_two(nodes)) {
    links.between_nodes.push_back(outermost([&](int i) { return (i + inside) % size; }));
    return;
  }
  for (int distance = 1; distance < nodes; distance *= 2) {
    links.between_nodes.push_back(
        outermost([&](int i) { return (i / inside ^ distance) * inside + i % inside; }));
  }
}

// Returns null where the collective was not measured on this number of ranks.
const AllreduceFit* find_fit(const Platform& platform,
                             int ranks,
                             CollectiveKind kind,
                             AllreduceAlgorithm algorithm) {
  const auto& fits = platform.allreduce;
  const auto fit = std::find_if(fits.begin(), fits.end(), [&](const AllreduceFit& candidate) {
    return candidate.kind == kind && candidate.algorithm == algorithm && candidate.ranks == ranks &&
           !candidate.segments.empty();
  });
  return fit == fits.end() ? nullptr : &*fit;
}

void add_ends(const std::vector<Segment>& segments, std::vector<double>& ends) {
  for (const Segment& segment : segments) ends.push_back(static_cast<double>(segment.max_bytes));
}

// Returns the sizes of messages beyond which another rule gives the price.
std::vector<double> ends_of_rules(const Platform& platform,
                                  int ranks,
                                  CollectiveKind kind,
                                  AllreduceAlgorithm algorithm) {
  std::vector<double> ends;
  for (double bytes = chunk_inside_node; bytes <= chunk_between_nodes; bytes += chunk_inside_node) {
    ends.push_back(bytes);
  }
  for (const Level& level : platform.levels) {
    add_ends(level.segments, ends);
    add_ends(ring_segments(level, kind), ends);
  }
  for (CollectiveKind measured : {kind, CollectiveKind::allreduce}) {
    const AllreduceFit* fit = find_fit(platform, ranks, measured, algorithm);
    if (fit != nullptr) add_ends(fit->segments, ends);
  }
  return ends;
}

}  // namespace

double ring_block_s(const Platform& platform, std::size_t level, double bytes, double sharing) {
  const double chunk_bytes = std::min(bytes, level == 0 ? chunk_inside_node : chunk_between_nodes);
  const double chunks = std::ceil(bytes / chunk_bytes);
  const Segment& segment = segment_of(platform.levels[level].segments, chunk_bytes);
  return chunks * segment.alpha_s + sharing * segment.beta_s_per_byte * bytes;
}

GroupLinks links_of(const Platform& platform, std::span<const int> group, int ranks_per_node) {
  GroupLinks links{.ranks = static_cast<int>(group.size()), .ranks_per_node = ranks_per_node};
  if (group.size() < 2) return links;
  add_ring(platform, group, links);
  add_rounds(platform, group, links);
  add_hierarchy(platform, group, links);
  return links;
}

AllreduceAlgorithm assumed_algorithm(const Platform& platform,
                                     const GroupLinks& links,
                                     double bytes) {
  return fastest(platform, links, bytes).algorithm;
}

bool has_fit(const Platform& platform,
             int ranks,
             CollectiveKind kind,
             AllreduceAlgorithm algorithm) {
  return find_fit(platform, ranks, kind, algorithm) != nullptr;
}

double allreduce_time_s(const Platform& platform,
                        const GroupLinks& links,
                        double bytes,
                        AllreduceAlgorithm algorithm) {
  if (links.ranks < 2 || bytes <= 0) return 0.0;
  const AllreduceFit* fit = find_fit(platform, links.ranks, CollectiveKind::allreduce, algorithm);
  if (fit != nullptr) return segment_time_s(fit->segments, bytes);
  switch (algorithm) {
    case AllreduceAlgorithm::ring:
      return ring_time_s(platform, links, bytes, Ring::own);
    case AllreduceAlgorithm::recursive_doubling:
      return doubling_s(platform, links, bytes);
    case AllreduceAlgorithm::rabenseifner:
      return rabenseifner_s(platform, links, bytes);
    case AllreduceAlgorithm::hierarchical:
      return hierarchical_s(platform, links, bytes);
    case AllreduceAlgorithm::library:
      return fastest(platform, links, bytes).seconds;
  }
  throw std::logic_error("unknown allreduce algorithm");
}

double collective_time_s(const Platform& platform,
                         const GroupLinks& links,
                         double bytes,
                         CollectiveKind kind,
                         AllreduceAlgorithm algorithm) {
  if (kind == CollectiveKind::allreduce) {
    return allreduce_time_s(platform, links, bytes, algorithm);
  }
  if (!has_halves(algorithm)) throw std::logic_error("this allreduce has no halves");
  if (links.ranks < 2 || bytes <= 0) return 0.0;
  const AllreduceFit* fit = find_fit(platform, links.ranks, kind, algorithm);
  if (fit != nullptr) return segment_time_s(fit->segments, bytes);
  if (has_fit(platform, links.ranks, CollectiveKind::allreduce, algorithm)) {
    return allreduce_time_s(platform, links, bytes, algorithm) / 2;
  }
  const bool is_own = algorithm == AllreduceAlgorithm::ring;
  return ring_time_s(platform, links, bytes, is_own ? Ring::own : Ring::of_messages, kind);
}

// The time is linear in the bytes between sums that have a message exactly at the end of a rule. So
// seconds per byte are least at one of these sums or at `most_bytes`. A message holds all bytes of
// the sum, a p-th of them in a ring, or a half, a quarter and so on in Rabenseifner's rounds.
// Slices of nodes are divided in these ways, too. A ring block of whole chunks takes the same time
// per byte for any number of chunks. So no block beyond the longest chunk costs less per byte than
// this chunk.
double least_collective_s_per_byte(const Platform& platform,
                                   const GroupLinks& links,
                                   double most_bytes,
                                   CollectiveKind kind,
                                   AllreduceAlgorithm algorithm) {
  if (links.ranks < 2) return 0.0;
  std::vector<double> parts{1.0, static_cast<double>(links.ranks)};
  for (double part = 2.0; part <= links.ranks; part *= 2) parts.push_back(part);
  for (double part = links.ranks_per_node; part > 1 && part <= links.ranks; part *= 2) {
    parts.push_back(part);
  }
  const auto s_per_byte = [&](double bytes) {
    return collective_time_s(platform, links, bytes, kind, algorithm) / bytes;
  };
  double least = s_per_byte(most_bytes);
  for (double end : ends_of_rules(platform, links.ranks, kind, algorithm)) {
    for (double part : parts) {
      if (end * part < most_bytes) least = std::min(least, s_per_byte(end * part));
    }
  }
  return least;
}

}  // namespace cnnplan
