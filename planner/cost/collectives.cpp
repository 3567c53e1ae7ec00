// Computes the time of collectives on the levels of a platform, message by message.
#include "planner/cost/collectives.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <vector>

#include "planner/cost/links.hpp"
#include "planner/platform/chunk_sizes.hpp"
#include "planner/platform/exchange_times.hpp"
#include "planner/platform/node_ranks.hpp"

namespace cnnplan {
namespace {

constexpr double chunk_inside_node = chunk_bytes_inside_node;
constexpr double chunk_between_nodes = chunk_bytes_between_nodes;

// Says which ring is priced. `own` is the executor's ring, whose steps may have been measured.
enum class Ring { own, of_messages };

// Returns the fraction of a ring's steps that add. Every step is charged this fraction of gamma.
double adding_fraction(const RoundSeries& ring, CollectiveKind kind) {
  const double adding = adding_rounds(ring, kind);
  return adding / round_count(ring, kind);
}

double ring_step_s(const Platform& platform,
                   const GroupLinks& links,
                   const LinkUse& link,
                   double bytes,
                   Ring ring,
                   CollectiveKind kind) {
  const Level& level = platform.levels[link.level];
  const std::vector<Segment>& segments = ring_segments(level, kind);
  if (ring == Ring::own && !segments.empty()) {
    const Segment& measured = segment_of(segments, bytes);
    return measured.alpha_s + link.sharing * measured.beta_s_per_byte * bytes;
  }
  const double gamma_s =
      bytes * platform.gamma_s_per_byte * adding_fraction(links.ring.series, kind);
  return gamma_s +
         exchange_times(level).factor * ring_block_s(platform, link.level, bytes, link.sharing);
}

double ring_time_s(const Platform& platform,
                   const GroupLinks& links,
                   double bytes,
                   Ring ring,
                   CollectiveKind kind) {
  const double block_bytes = bytes / links.ring.series.parts;
  double step_s = 0.0;
  for (const LinkUse& link : links.ring.links) {
    step_s = std::max(step_s, ring_step_s(platform, links, link, block_bytes, ring, kind));
  }
  return round_count(links.ring.series, kind) * step_s;
}

// Returns the time of a round, in which ranks exchange a message both ways at once. It is as slow
// as its slowest link.
double round_s(const Platform& platform, const std::vector<LinkUse>& links, double bytes) {
  double slowest_s = 0.0;
  for (const auto& [index, sharing] : links) {
    const ExchangeTimes exchange = exchange_times(platform.levels[index]);
    const Segment& segment = segment_of(exchange.segments, bytes);
    const double seconds = segment.alpha_s + segment.beta_s_per_byte * sharing * bytes;
    slowest_s = std::max(slowest_s, exchange.factor * seconds);
  }
  return slowest_s;
}

// Adds up the rounds of all series, each on the links that its messages take. Series of halves have
// a sum of their own, because prices are compared to the last bit and the order of additions
// decides it.
double rounds_s(const Platform& platform,
                const std::vector<SeriesLinks>& all,
                double bytes,
                CollectiveKind kind) {
  double sum_s = 0.0;
  double halves_s = 0.0;
  for (const auto& [series, links] : all) {
    bytes /= series.parts;
    const int ways = round_count(series, kind) / series.rounds;
    const int adds = adding_rounds(series, kind) / series.rounds;
    const double seconds = series.rounds * (ways * round_s(platform, links, bytes) +
                                            adds * bytes * platform.gamma_s_per_byte);
    const bool is_halving = series.peers.rule == PeerRule::partners && series.parts > 1;
    (is_halving ? halves_s : sum_s) += seconds;
  }
  return sum_s + halves_s;
}

struct Fastest {
  AllreduceAlgorithm algorithm = AllreduceAlgorithm::recursive_doubling;
  double seconds = 0.0;
};

// Returns the fastest of the algorithms that the library may run. Recursive doubling has no halves.
Fastest fastest(const Platform& platform,
                const GroupLinks& links,
                double bytes,
                CollectiveKind kind) {
  Fastest best{AllreduceAlgorithm::rabenseifner,
               rounds_s(platform, links.rabenseifner, bytes, kind)};
  if (kind == CollectiveKind::allreduce) {
    const double seconds = rounds_s(platform, links.recursive_doubling, bytes, kind);
    if (seconds <= best.seconds) best = {AllreduceAlgorithm::recursive_doubling, seconds};
  }
  const double ring_s = ring_time_s(platform, links, bytes, Ring::of_messages, kind);
  if (ring_s < best.seconds) best = {AllreduceAlgorithm::ring, ring_s};
  return best;
}

// Returns the place of the ranks that were measured. Files that were measured with one rank on a
// node may say that all ranks shared one.
GroupPlace place_of(const Platform& platform, const AllreduceFit& fit) {
  const int most = std::min(fit.ranks, ranks_of_a_node(platform.levels));
  return {.ranks_per_node = fit.ranks_per_node > 0 ? std::min(fit.ranks_per_node, most) : most,
          .groups_at_once = fit.groups_at_once};
}

// Returns null if the collective was not measured on ranks that lie as in this group.
const AllreduceFit* find_fit(const Platform& platform,
                             const GroupLinks& links,
                             CollectiveKind kind,
                             AllreduceAlgorithm algorithm) {
  const auto& fits = platform.allreduce;
  const auto fit = std::find_if(fits.begin(), fits.end(), [&](const AllreduceFit& candidate) {
    return candidate.kind == kind && candidate.algorithm == algorithm &&
           candidate.ranks == links.ranks && !candidate.segments.empty() &&
           place_of(platform, candidate) == links.place;
  });
  return fit == fits.end() ? nullptr : &*fit;
}

void add_ends(const std::vector<Segment>& segments, std::vector<double>& ends) {
  for (const Segment& segment : segments) ends.push_back(static_cast<double>(segment.max_bytes));
}

// Returns the sizes of messages beyond which another rule gives the price.
std::vector<double> ends_of_rules(const Platform& platform,
                                  const GroupLinks& links,
                                  CollectiveKind kind,
                                  AllreduceAlgorithm algorithm) {
  std::vector<double> ends;
  for (double bytes = chunk_inside_node; bytes <= chunk_between_nodes; bytes += chunk_inside_node) {
    ends.push_back(bytes);
  }
  for (const Level& level : platform.levels) {
    add_ends(exchange_times(level).segments, ends);
    add_ends(ring_segments(level, kind), ends);
  }
  for (CollectiveKind measured : {kind, CollectiveKind::allreduce}) {
    const AllreduceFit* fit = find_fit(platform, links, measured, algorithm);
    if (fit != nullptr) add_ends(fit->segments, ends);
  }
  return ends;
}

// Returns the bytes of an allreduce divided by the bytes of a message, for each message that an
// algorithm sends.
std::vector<double> message_parts(const GroupLinks& links) {
  std::vector<double> all_parts{1.0};
  all_parts.push_back(links.ring.series.parts);
  for (const auto* algorithm : {&links.rabenseifner, &links.hierarchical}) {
    double parts = 1.0;
    for (const auto& [series, uses] : *algorithm) {
      parts *= series.parts;
      all_parts.push_back(parts);
    }
  }
  return all_parts;
}

}  // namespace

double ring_chunk_bytes(std::size_t level, double bytes) {
  return std::min(bytes, level == 0 ? chunk_inside_node : chunk_between_nodes);
}

double ring_block_s(const Platform& platform, std::size_t level, double bytes, double sharing) {
  const double chunk_bytes = ring_chunk_bytes(level, bytes);
  const double chunks = std::ceil(bytes / chunk_bytes);
  const ExchangeTimes exchange = exchange_times(platform.levels[level]);
  const Segment& segment = segment_of(exchange.segments, chunk_bytes);
  return chunks * segment.alpha_s + sharing * segment.beta_s_per_byte * bytes;
}

AllreduceAlgorithm assumed_algorithm(const Platform& platform,
                                     const GroupLinks& links,
                                     double bytes,
                                     CollectiveKind kind) {
  return fastest(platform, links, bytes, kind).algorithm;
}

bool has_fit(const Platform& platform,
             const GroupLinks& links,
             CollectiveKind kind,
             AllreduceAlgorithm algorithm) {
  return find_fit(platform, links, kind, algorithm) != nullptr;
}

bool is_estimated_half(const Platform& platform,
                       const GroupLinks& links,
                       CollectiveKind kind,
                       AllreduceAlgorithm algorithm) {
  if (kind == CollectiveKind::allreduce || has_fit(platform, links, kind, algorithm)) return false;
  return algorithm == AllreduceAlgorithm::library ||
         has_fit(platform, links, CollectiveKind::allreduce, algorithm);
}

double allreduce_time_s(const Platform& platform,
                        const GroupLinks& links,
                        double bytes,
                        AllreduceAlgorithm algorithm) {
  constexpr auto whole = CollectiveKind::allreduce;
  if (links.ranks < 2 || bytes <= 0) return 0.0;
  const AllreduceFit* fit = find_fit(platform, links, whole, algorithm);
  if (fit != nullptr) return segment_time_s(fit->segments, bytes);
  switch (algorithm) {
    case AllreduceAlgorithm::ring:
      return ring_time_s(platform, links, bytes, Ring::own, whole);
    case AllreduceAlgorithm::recursive_doubling:
      return rounds_s(platform, links.recursive_doubling, bytes, whole);
    case AllreduceAlgorithm::rabenseifner:
      return rounds_s(platform, links.rabenseifner, bytes, whole);
    case AllreduceAlgorithm::hierarchical:
      return rounds_s(platform, links.hierarchical, bytes, whole);
    case AllreduceAlgorithm::library:
      return fastest(platform, links, bytes, whole).seconds;
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
  const AllreduceFit* fit = find_fit(platform, links, kind, algorithm);
  if (fit != nullptr) return segment_time_s(fit->segments, bytes);
  if (has_fit(platform, links, CollectiveKind::allreduce, algorithm)) {
    return allreduce_time_s(platform, links, bytes, algorithm) / 2;
  }
  return algorithm == AllreduceAlgorithm::ring
             ? ring_time_s(platform, links, bytes, Ring::own, kind)
             : fastest(platform, links, bytes, kind).seconds;
}

// The time is linear in the bytes between sums that have a message exactly at the end of a rule. So
// seconds per byte are least at one of these sums or at `most_bytes`. A ring block of whole chunks
// takes the same time per byte for any number of chunks. So no block beyond the longest chunk costs
// less per byte than this chunk.
double least_collective_s_per_byte(const Platform& platform,
                                   const GroupLinks& links,
                                   double most_bytes,
                                   CollectiveKind kind,
                                   AllreduceAlgorithm algorithm) {
  if (links.ranks < 2) return 0.0;
  const std::vector<double> parts = message_parts(links);
  const auto s_per_byte = [&](double bytes) {
    return collective_time_s(platform, links, bytes, kind, algorithm) / bytes;
  };
  double least = s_per_byte(most_bytes);
  for (double end : ends_of_rules(platform, links, kind, algorithm)) {
    for (double part : parts) {
      if (end * part < most_bytes) least = std::min(least, s_per_byte(end * part));
    }
  }
  return least;
}

}  // namespace cnnplan
