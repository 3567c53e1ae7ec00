// The rounds of each algorithm, by position in the group.
#include "planner/simulate/collective_rounds.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "planner/cost/collectives.hpp"
#include "planner/cost/links.hpp"
#include "planner/platform/exchange_rounds.hpp"
#include "planner/platform/fold.hpp"
#include "planner/simulate/wire.hpp"

namespace cnnplan {
namespace {

double bytes_of(const CollectiveOperation& operation) {
  return static_cast<double>(operation.elements * bytes_of(operation.element));
}

struct Group {
  const Platform& platform;
  const CollectiveOperation& operation;
  double bytes = 0.0;

  int ranks() const { return operation.group.size(); }
  int rank_at(int position) const { return operation.group[(position + ranks()) % ranks()]; }
  GroupLinks links() const {
    return links_of(platform, operation.group.ranks(), operation.ranks_per_node);
  }
  std::size_t level_index(int position, int other) const {
    return level_index_between(platform, rank_at(position), rank_at(other));
  }
  const Level& level(int position, int other) const {
    return platform.levels[level_index(position, other)];
  }
};

// How long a message of `bytes` from one position to another takes on a link of its own.
using MessageTime = std::function<double(int from, int to, double bytes)>;

double ring_message_s(const Group& group, int from, int to, double bytes, bool own) {
  const Level& level = group.level(from, to);
  const std::vector<Segment>& segments = ring_segments(level, group.operation.kind);
  if (own && !segments.empty()) return alone_s(level, segment_time_s(segments, bytes));
  constexpr double alone = 1.0;
  return ring_block_s(group.platform, group.level_index(from, to), bytes, alone);
}

// Measured steps hold the additions.
bool adds_apart(const Group& group, int position, bool own) {
  return !own || ring_segments(group.level(position - 1, position), group.operation.kind).empty();
}

std::vector<Round> ring(const Group& group, int position, bool own) {
  const double bytes = group.bytes / group.ranks();
  const auto message = [&](int from, int to, int peer) {
    return RoundMessage{.peer = group.rank_at(peer),
                        .bytes = bytes,
                        .seconds = ring_message_s(group, from, to, bytes, own)};
  };
  const Round step{.send = message(position, position + 1, position + 1),
                   .receive = message(position - 1, position, position - 1)};
  const int steps = group.ranks() - 1;
  std::vector<Round> rounds(static_cast<std::size_t>(2 * steps), step);
  if (!adds_apart(group, position, own)) return rounds;
  for (int i = 0; i < steps; ++i) {
    rounds[static_cast<std::size_t>(i)].add_s = bytes * group.platform.gamma_s_per_byte;
  }
  return rounds;
}

ExchangeShape shape_of(const Group& group, AllreduceAlgorithm algorithm) {
  return {.algorithm = algorithm,
          .elements = group.operation.elements,
          .ranks = group.ranks(),
          .ranks_per_node = group.operation.ranks_per_node};
}

// As the executor runs them, with the time of each message and of adding a byte.
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

// Where some ranks only hand over, before and after what the others exchange.
bool folds(int ranks, AllreduceAlgorithm algorithm) {
  const bool halves = algorithm == AllreduceAlgorithm::recursive_doubling ||
                      algorithm == AllreduceAlgorithm::rabenseifner;
  return halves && Fold(ranks).folded > 0;
}

// The measured time in equal parts over the rounds of `algorithm`, of a half twice over all: half
// of them are taken. Other groups, whose ranks share the links, sum at the same time.
std::vector<Round> measured(const Group& group, int position, AllreduceAlgorithm algorithm) {
  // A rank that takes part in all rounds.
  const int busy = folds(group.ranks(), algorithm) ? 1 : 0;
  const std::size_t rounds = exchange_rounds(shape_of(group, algorithm), busy).size();
  const CollectiveKind kind = group.operation.kind;
  const double total_s =
      (kind == CollectiveKind::allreduce ? 1 : 2) *
      collective_time_s(
          group.platform, group.links(), group.bytes, kind, group.operation.algorithm);
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
    return segment_time_s(group.level(from, to).segments, bytes);
  };
  return exchanges(group, position, algorithm, time, group.platform.gamma_s_per_byte);
}

// What the library is taken to run: of halves, those of a ring.
AllreduceAlgorithm library_algorithm(const Group& group, bool is_measured) {
  if (group.operation.kind != CollectiveKind::allreduce) return AllreduceAlgorithm::ring;
  return is_measured ? AllreduceAlgorithm::recursive_doubling
                     : assumed_algorithm(group.platform, group.links(), group.bytes);
}

std::vector<Round> allreduce_rounds(const Group& group, int position) {
  const AllreduceAlgorithm algorithm = group.operation.algorithm;
  const bool is_library = algorithm == AllreduceAlgorithm::library;
  const auto has = [&](CollectiveKind kind) {
    return has_fit(group.platform, group.ranks(), kind, algorithm);
  };
  const bool is_measured = has(group.operation.kind) || has(CollectiveKind::allreduce);
  const AllreduceAlgorithm steps = is_library ? library_algorithm(group, is_measured) : algorithm;
  if (is_measured) return measured(group, position, steps);
  if (algorithm == AllreduceAlgorithm::ring) return ring(group, position, true);
  return in_messages(group, position, steps);
}

// Of a ring: its rounds that add, and those that take.
std::vector<Round> half(const std::vector<Round>& rounds, CollectiveKind kind) {
  const auto middle = rounds.begin() + static_cast<std::ptrdiff_t>(rounds.size() / 2);
  const bool is_first = kind == CollectiveKind::reduce_scatter;
  return is_first ? std::vector(rounds.begin(), middle) : std::vector(middle, rounds.end());
}

}  // namespace

std::vector<Round> collective_rounds(const Platform& platform,
                                     const CollectiveOperation& operation,
                                     int rank) {
  const Group group{.platform = platform, .operation = operation, .bytes = bytes_of(operation)};
  if (group.ranks() < 2 || group.bytes <= 0) return {};
  const int position = operation.group.position_of(rank);
  const std::vector<Round> rounds = allreduce_rounds(group, position);
  return operation.kind == CollectiveKind::allreduce ? rounds : half(rounds, operation.kind);
}

}  // namespace cnnplan
