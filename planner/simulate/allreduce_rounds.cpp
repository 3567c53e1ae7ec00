// The rounds of each algorithm, by position in the group.
#include "planner/simulate/allreduce_rounds.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "planner/cost/collectives.hpp"
#include "planner/cost/fold.hpp"
#include "planner/cost/links.hpp"
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
  GroupLinks links() const { return links_of(platform, operation.group.ranks()); }
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
  if (own && !level.ring_segments.empty()) {
    return alone_s(level, segment_time_s(level.ring_segments, bytes));
  }
  constexpr double alone = 1.0;
  return ring_block_s(group.platform, group.level_index(from, to), bytes, alone);
}

// Measured steps hold the additions.
bool adds_apart(const Group& group, int position, bool own) {
  return !own || group.level(position - 1, position).ring_segments.empty();
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

// Exchanges between the ranks of a power of two: partner = own number xor mask.
struct Exchange {
  int mask = 1;
  double bytes = 0.0;
  bool adds = true;
};

std::vector<Exchange> recursive_doubling(int core_ranks, double bytes) {
  std::vector<Exchange> exchanges;
  for (int mask = 1; mask < core_ranks; mask *= 2) exchanges.push_back({mask, bytes, true});
  return exchanges;
}

// Recursive halving, then recursive doubling the same way back.
std::vector<Exchange> rabenseifner(int core_ranks, double bytes) {
  std::vector<Exchange> exchanges;
  for (int mask = 1; mask < core_ranks; mask *= 2) {
    bytes /= 2;
    exchanges.push_back({mask, bytes, true});
  }
  for (std::size_t i = exchanges.size(); i-- > 0;) {
    exchanges.push_back({exchanges[i].mask, exchanges[i].bytes, false});
  }
  return exchanges;
}

class FoldedRounds {
 public:
  FoldedRounds(const Group& group, MessageTime time, double add_s_per_byte)
      : group_(group), time_(std::move(time)), add_s_per_byte_(add_s_per_byte) {}

  std::vector<Round> of(int position, const std::vector<Exchange>& exchanges) const {
    const Fold fold(group_.ranks());
    const double bytes = group_.bytes;
    if (fold.is_folded(position)) {
      return {{.send = sent(position, position + 1, bytes)},
              {.receive = received(position, position + 1, bytes)}};
    }
    std::vector<Round> rounds;
    if (fold.takes(position)) {
      rounds.push_back(
          {.receive = received(position, position - 1, bytes), .add_s = bytes * add_s_per_byte_});
    }
    for (const Exchange& exchange : exchanges) {
      const int other = fold.position_of(fold.core_of(position) ^ exchange.mask);
      rounds.push_back({.send = sent(position, other, exchange.bytes),
                        .receive = received(position, other, exchange.bytes),
                        .add_s = exchange.adds ? exchange.bytes * add_s_per_byte_ : 0.0});
    }
    if (fold.takes(position)) rounds.push_back({.send = sent(position, position - 1, bytes)});
    return rounds;
  }

 private:
  RoundMessage sent(int position, int other, double bytes) const {
    return {group_.rank_at(other), bytes, time_(position, other, bytes)};
  }
  RoundMessage received(int position, int other, double bytes) const {
    return {group_.rank_at(other), bytes, time_(other, position, bytes)};
  }

  const Group& group_;
  MessageTime time_;
  double add_s_per_byte_;
};

// The measured time in equal parts. Other groups, whose ranks share the links, sum at the same
// time.
std::vector<Round> measured(const Group& group, int position) {
  const Fold fold(group.ranks());
  const std::vector<Exchange> exchanges = recursive_doubling(fold.core_ranks, group.bytes);
  const std::size_t rounds = exchanges.size() + (fold.folded > 0 ? 2 : 0);
  const double total_s =
      allreduce_time_s(group.platform, group.links(), group.bytes, AllreduceAlgorithm::library);
  const double round_s = total_s / static_cast<double>(rounds);
  const bool both_ways = fold.folded == 0;
  const MessageTime time = [&](int from, int to, double) {
    const Level& level = group.level(from, to);
    return both_ways ? alone_s(level, round_s, level.shared_by) : round_s;
  };
  return FoldedRounds(group, time, 0.0).of(position, exchanges);
}

std::vector<Round> library(const Group& group, int position) {
  const Fold fold(group.ranks());
  const MessageTime time = [&](int from, int to, double bytes) {
    return segment_time_s(group.level(from, to).segments, bytes);
  };
  const FoldedRounds rounds(group, time, group.platform.gamma_s_per_byte);
  switch (library_algorithm(group.platform, group.links(), group.bytes)) {
    case LibraryAlgorithm::measured:
      return measured(group, position);
    case LibraryAlgorithm::recursive_doubling:
      return rounds.of(position, recursive_doubling(fold.core_ranks, group.bytes));
    case LibraryAlgorithm::rabenseifner:
      return rounds.of(position, rabenseifner(fold.core_ranks, group.bytes));
    case LibraryAlgorithm::ring:
      break;
  }
  return ring(group, position, false);
}

}  // namespace

std::vector<Round> allreduce_rounds(const Platform& platform,
                                    const CollectiveOperation& operation,
                                    int rank) {
  const Group group{.platform = platform, .operation = operation, .bytes = bytes_of(operation)};
  if (group.ranks() < 2 || group.bytes <= 0) return {};
  const int position = operation.group.position_of(rank);
  return operation.algorithm == AllreduceAlgorithm::ring ? ring(group, position, true)
                                                         : library(group, position);
}

}  // namespace cnnplan
