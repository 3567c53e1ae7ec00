// Writes out the rounds of each algorithm for a position in the group, with the times of messages.
#include "planner/simulate/collective_rounds.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "planner/cost/collectives.hpp"
#include "planner/cost/links.hpp"
#include "planner/platform/exchange_rounds.hpp"
#include "planner/platform/exchange_times.hpp"
#include "planner/simulate/wire.hpp"

namespace cnnplan {
namespace {

double bytes_of(const CollectiveOperation& operation) {
  return static_cast<double>(operation.elements * bytes_of(operation.element));
}

struct Group {
  const Platform& platform;
  const GroupLinks& links;
  const CollectiveOperation& operation;
  double bytes = 0.0;

  int ranks() const { return operation.group.size(); }
  int rank_at(int position) const { return operation.group[(position + ranks()) % ranks()]; }
  std::size_t level_index(int position, int other) const {
    return level_index_between(platform, rank_at(position), rank_at(other));
  }
  const Level& level(int position, int other) const {
    return platform.levels[level_index(position, other)];
  }
};

// Returns how long a message of `bytes` from one position to another takes on a link of its own.
using MessageTime = std::function<double(int from, int to, double bytes)>;

// True if a step of the ring over this link has its measured time.
bool has_ring_step(const Group& group, int from, int to, bool own) {
  return own && !ring_segments(group.level(from, to), group.operation.kind).empty();
}

// Returns the latencies of all chunks of a block except the first. They take no bandwidth, so
// messages that share the port do not make them longer.
double chunk_latencies_s(const Group& group, int from, int to, double bytes) {
  const std::size_t level = group.level_index(from, to);
  constexpr double without_bandwidth = 0.0;
  const double all_s = ring_block_s(group.platform, level, bytes, without_bandwidth);
  const double one_s =
      ring_block_s(group.platform, level, ring_chunk_bytes(level, bytes), without_bandwidth);
  return all_s - one_s;
}

double ring_message_s(const Group& group, int from, int to, double bytes, bool own) {
  const Level& level = group.level(from, to);
  if (has_ring_step(group, from, to, own)) {
    return alone_s(level, segment_time_s(ring_segments(level, group.operation.kind), bytes));
  }
  constexpr double alone = 1.0;
  return one_way_s(level,
                   ring_block_s(group.platform, group.level_index(from, to), bytes, alone) -
                       chunk_latencies_s(group, from, to, bytes));
}

// Returns the time of adding a byte. Measured steps of the link from `sender` hold the additions.
double ring_add_s_per_byte(const Group& group, int sender, int position, bool own) {
  return has_ring_step(group, sender, position, own) ? 0.0 : group.platform.gamma_s_per_byte;
}

// All messages of a ring have equal bytes, one part of the sum, even where elements do not divide.
std::vector<Round> ring(const Group& group, int position, bool own) {
  const RoundSeries series = ring_series(group.ranks());
  const double bytes = group.bytes / series.parts;
  const auto message = [&](int from, int to, int peer) {
    return RoundMessage{.peer = group.rank_at(peer),
                        .bytes = bytes,
                        .seconds = ring_message_s(group, from, to, bytes, own)};
  };
  const int next = sends_to(series.peers, position);
  const int last = receives_from(series.peers, position);
  const bool has_step = has_ring_step(group, position, next, own);
  Round round{.send_after_s = has_step ? 0.0 : chunk_latencies_s(group, position, next, bytes),
              .send = message(position, next, next),
              .receive = message(last, position, last),
              .add_s = bytes * ring_add_s_per_byte(group, last, position, own)};
  constexpr auto kind = CollectiveKind::allreduce;
  std::vector<Round> rounds(adding_rounds(series, kind), round);
  round.add_s = 0.0;
  rounds.resize(round_count(series, kind), round);
  return rounds;
}

ExchangeShape shape_of(const Group& group, AllreduceAlgorithm algorithm) {
  return {.algorithm = algorithm,
          .elements = group.operation.elements,
          .ranks = group.ranks(),
          .ranks_per_node = group.operation.ranks_per_node};
}

// Returns the rounds as the executor runs them, with the time of each message and of adding a byte.
std::vector<Round> exchanges(const Group& group,
                             int position,
                             AllreduceAlgorithm algorithm,
                             const MessageTime& time,
                             double add_s_per_byte) {
  const auto element_bytes = static_cast<double>(bytes_of(group.operation.element));
  const auto message = [&](int peer, int from, int to, const Range& range) {
    if (peer < 0) return RoundMessage{};
    const double bytes = static_cast<double>(range.size()) * element_bytes;
    return RoundMessage{
        .peer = group.rank_at(peer), .bytes = bytes, .seconds = time(from, to, bytes)};
  };
  std::vector<Round> rounds;
  for (const ExchangeRound& round : exchange_rounds(shape_of(group, algorithm), position)) {
    const RoundMessage received =
        message(round.receive_from, round.receive_from, position, round.received);
    rounds.push_back({.send = message(round.send_to, position, round.send_to, round.sent),
                      .receive = received,
                      .add_s = round.adds ? received.bytes * add_s_per_byte : 0.0});
  }
  return rounds;
}

// True if some ranks only give their values before the others' rounds, and get the sums afterwards.
bool folds(const Group& group, AllreduceAlgorithm algorithm) {
  const std::vector<RoundSeries> all =
      round_series(algorithm, group.ranks(), group.operation.ranks_per_node);
  return all.front().peers.rule == PeerRule::fold;
}

// Spreads the measured time evenly over the rounds of `algorithm`. The time of a half is spread
// twice over all rounds, because only half of the rounds are taken. Other groups, whose ranks share
// the links, sum at the same time.
std::vector<Round> measured(const Group& group, int position, AllreduceAlgorithm algorithm) {
  const int busy = folds(group, algorithm) ? 1 : 0;  // This rank takes part in all rounds.
  const std::size_t rounds = exchange_rounds(shape_of(group, algorithm), busy).size();
  const CollectiveKind kind = group.operation.kind;
  const double total_s =
      (kind == CollectiveKind::allreduce ? 1 : 2) *
      collective_time_s(group.platform, group.links, group.bytes, kind, group.operation.algorithm);
  const double round_s = total_s / static_cast<double>(rounds);
  const bool both_ways = busy == 0;
  const MessageTime time = [&](int from, int to, double) {
    const Level& level = group.level(from, to);
    return both_ways ? alone_s(level, round_s, level.shared_by) : round_s;
  };
  constexpr double within_round = 0.0;
  return exchanges(group, position, algorithm, time, within_round);
}

std::vector<Round> in_messages(const Group& group, int position, AllreduceAlgorithm algorithm) {
  if (algorithm == AllreduceAlgorithm::ring) return ring(group, position, false);
  const MessageTime time = [&](int from, int to, double bytes) {
    const Level& level = group.level(from, to);
    return one_way_s(level, segment_time_s(exchange_times(level).segments, bytes));
  };
  return exchanges(group, position, algorithm, time, group.platform.gamma_s_per_byte);
}

// Returns the algorithm that the library is assumed to run. Measured halves are halves of a ring.
AllreduceAlgorithm library_algorithm(const Group& group, bool is_measured) {
  const CollectiveKind kind = group.operation.kind;
  if (!is_measured) return assumed_algorithm(group.platform, group.links, group.bytes, kind);
  return kind == CollectiveKind::allreduce ? AllreduceAlgorithm::recursive_doubling
                                           : AllreduceAlgorithm::ring;
}

std::vector<Round> allreduce_rounds(const Group& group, int position) {
  const AllreduceAlgorithm algorithm = group.operation.algorithm;
  const bool is_library = algorithm == AllreduceAlgorithm::library;
  const auto has = [&](CollectiveKind kind) {
    return has_fit(group.platform, group.links, kind, algorithm);
  };
  const bool is_measured = has(group.operation.kind) || has(CollectiveKind::allreduce);
  const AllreduceAlgorithm steps = is_library ? library_algorithm(group, is_measured) : algorithm;
  if (is_measured) return measured(group, position, steps);
  if (algorithm == AllreduceAlgorithm::ring) return ring(group, position, true);
  return in_messages(group, position, steps);
}

// Returns the adding half of the rounds for a reduce-scatter, else the other half.
std::vector<Round> half(const std::vector<Round>& rounds, CollectiveKind kind) {
  const auto middle = rounds.begin() + rounds.size() / 2;
  const bool is_first = kind == CollectiveKind::reduce_scatter;
  return is_first ? std::vector(rounds.begin(), middle) : std::vector(middle, rounds.end());
}

}  // namespace

std::vector<Round> collective_rounds(const Platform& platform,
                                     const GroupLinks& links,
                                     const CollectiveOperation& operation,
                                     int rank) {
  const Group group{
      .platform = platform, .links = links, .operation = operation, .bytes = bytes_of(operation)};
  if (group.ranks() < 2 || group.bytes <= 0) return {};
  const int position = operation.group.position_of(rank);
  const std::vector<Round> rounds = allreduce_rounds(group, position);
  return operation.kind == CollectiveKind::allreduce ? rounds : half(rounds, operation.kind);
}

}  // namespace cnnplan
