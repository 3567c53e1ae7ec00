// Tests the rounds of allreduces: every rank gets the sum, by as many messages and bytes as
// published.
#include "planner/platform/exchange_rounds.hpp"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <map>
#include <stdexcept>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "planner/tensor/enumerators.hpp"

namespace cnnplan {
namespace {

std::vector<double> part_of(const std::vector<double>& values, const Range& range) {
  return {values.begin() + range.begin, values.begin() + range.end};
}

// Runs the rounds of all ranks of a group on values that differ between ranks.
class Group {
 public:
  explicit Group(const ExchangeShape& shape) {
    for (int position = 0; position < shape.ranks; ++position) {
      Rank rank{.rounds = exchange_rounds(shape, position), .values = {}};
      for (std::int64_t i = 0; i < shape.elements; ++i) rank.values.push_back(value(position, i));
      ranks_.push_back(std::move(rank));
    }
  }

  // Returns a value that differs on every rank and at every place. Sums of values are exact.
  static double value(int position, std::int64_t i) {
    return static_cast<double>((position + std::int64_t{1}) * 1000 + i);
  }

  // Returns false if a rank waits forever or a message has no receive of its size.
  bool run() {
    for (bool progress = true; progress;) {
      progress = false;
      for (std::size_t i = 0; i < ranks_.size(); ++i) progress = advance(i) || progress;
    }
    for (const Rank& rank : ranks_) {
      if (rank.next != rank.rounds.size()) return false;
    }
    for (const auto& [ends, messages] : mail_) {
      if (!messages.empty()) return false;
    }
    return true;
  }

  const std::vector<double>& values(int position) const {
    return ranks_[static_cast<std::size_t>(position)].values;
  }

 private:
  struct Rank {
    std::vector<ExchangeRound> rounds;
    std::vector<double> values;
    std::size_t next = 0;
    bool has_sent = false;
  };

  bool advance(std::size_t i) {
    Rank& rank = ranks_[i];
    if (rank.next == rank.rounds.size()) return false;
    const ExchangeRound& round = rank.rounds[rank.next];
    const auto own = static_cast<int>(i);
    if (!std::exchange(rank.has_sent, true) && round.send_to >= 0) {
      mail_[{own, round.send_to}].push_back(part_of(rank.values, round.sent));
    }
    if (round.receive_from >= 0) {
      auto& letters = mail_[{round.receive_from, own}];
      if (letters.empty()) return false;
      if (letters.front().size() != static_cast<std::size_t>(round.received.size())) return false;
      take(rank, round, letters.front());
      letters.pop_front();
    }
    ++rank.next;
    rank.has_sent = false;
    return true;
  }

  static void take(Rank& rank, const ExchangeRound& round, const std::vector<double>& letter) {
    for (std::size_t k = 0; k < letter.size(); ++k) {
      double& value = rank.values[static_cast<std::size_t>(round.received.begin) + k];
      value = round.adds ? value + letter[k] : letter[k];
    }
  }

  std::vector<Rank> ranks_;
  std::map<std::pair<int, int>, std::deque<std::vector<double>>> mail_;  // from, to
};

std::int64_t sent_elements(const ExchangeShape& shape, int position) {
  std::int64_t elements = 0;
  for (const ExchangeRound& round : exchange_rounds(shape, position)) elements += round.sent.size();
  return elements;
}

struct Work {
  int rounds = 0;
  std::int64_t moved = 0;  // elements sent or received, the larger number of each round
  std::int64_t added = 0;
};

Work work_of(const ExchangeShape& shape, int position) {
  Work work;
  for (const ExchangeRound& round : exchange_rounds(shape, position)) {
    ++work.rounds;
    work.moved += std::max(round.sent.size(), round.received.size());
    work.added += round.adds ? round.received.size() : 0;
  }
  return work;
}

Work busiest_of(const ExchangeShape& shape) {
  Work busiest;
  for (int position = 0; position < shape.ranks; ++position) {
    const Work own = work_of(shape, position);
    busiest.rounds = std::max(busiest.rounds, own.rounds);
    busiest.moved = std::max(busiest.moved, own.moved);
    busiest.added = std::max(busiest.added, own.added);
  }
  return busiest;
}

void check_counts(const ExchangeShape& shape) {
  CAPTURE(to_text(shape.algorithm));
  CAPTURE(shape.ranks);
  CAPTURE(shape.ranks_per_node);
  constexpr auto kind = CollectiveKind::allreduce;
  Work counted;
  std::int64_t elements = shape.elements;
  for (const RoundSeries& series :
       round_series(shape.algorithm, shape.ranks, shape.ranks_per_node)) {
    elements /= series.parts;
    counted.rounds += round_count(series, kind);
    counted.moved += round_count(series, kind) * elements;
    counted.added += adding_rounds(series, kind) * elements;
  }
  const Work busiest = busiest_of(shape);
  CHECK(counted.rounds == busiest.rounds);
  CHECK(counted.moved == busiest.moved);
  CHECK(counted.added == busiest.added);
}

}  // namespace

TEST_CASE("Exchange rounds: every rank gets the sum, whatever the ranks, nodes and elements") {
  for (AllreduceAlgorithm algorithm : Enumerators<AllreduceAlgorithm>::all) {
    if (algorithm == AllreduceAlgorithm::library) continue;
    for (int ranks = 1; ranks <= 13; ++ranks) {
      for (int per_node = 1; per_node <= ranks; ++per_node) {
        if (ranks % per_node != 0) continue;
        for (std::int64_t elements : {0, 1, 2, 5, 16, 61}) {
          CAPTURE(to_text(algorithm));
          CAPTURE(ranks);
          CAPTURE(per_node);
          CAPTURE(elements);
          Group group({algorithm, elements, ranks, per_node});
          REQUIRE(group.run());
          std::vector<double> sum;
          for (std::int64_t i = 0; i < elements; ++i) {
            double value = 0.0;
            for (int rank = 0; rank < ranks; ++rank) value += Group::value(rank, i);
            sum.push_back(value);
          }
          for (int rank = 0; rank < ranks; ++rank) CHECK(group.values(rank) == sum);
        }
      }
    }
  }
}

TEST_CASE("Exchange rounds: as many messages and bytes as published") {
  constexpr std::int64_t n = 4800;
  const ExchangeShape doubling{AllreduceAlgorithm::recursive_doubling, n, 8};
  CHECK(exchange_rounds(doubling, 3).size() == 3);
  CHECK(sent_elements(doubling, 3) == 3 * n);
  const ExchangeShape halving{AllreduceAlgorithm::rabenseifner, n, 8};
  CHECK(exchange_rounds(halving, 3).size() == 6);
  CHECK(sent_elements(halving, 3) == n * 2 * 7 / 8);
  const ExchangeShape ring{AllreduceAlgorithm::ring, n, 6};
  CHECK(exchange_rounds(ring, 3).size() == 10);
  CHECK(sent_elements(ring, 3) == n * 2 * 5 / 6);
  // With 4 nodes of 3 ranks, there are 2(3-1) rounds of n/3 and 2 lg 4 rounds on n/3.
  const ExchangeShape nodes{AllreduceAlgorithm::hierarchical, n, 12, 3};
  CHECK(exchange_rounds(nodes, 7).size() == 4 + 4);
  CHECK(sent_elements(nodes, 7) == n * 2 * 2 / 3 + n * 2 * 3 / 3 / 4);
  // The 5 nodes sum in a ring, since 5 is no power of two.
  const ExchangeShape five{AllreduceAlgorithm::hierarchical, n, 15, 3};
  CHECK(exchange_rounds(five, 7).size() == 4 + 8);
  CHECK(sent_elements(five, 7) == n * 2 * 2 / 3 + n * 2 * 4 / 3 / 5);
}

TEST_CASE("Exchange rounds: only slices leave a node") {
  const ExchangeShape shape{AllreduceAlgorithm::hierarchical, 1200, 12, 4};
  for (int position = 0; position < shape.ranks; ++position) {
    for (const ExchangeRound& round : exchange_rounds(shape, position)) {
      const bool leaves = round.send_to / 4 != position / 4;
      CHECK(round.sent.size() == (leaves ? 100 : 300));
      if (leaves) CHECK(round.send_to % 4 == position % 4);
    }
  }
}

TEST_CASE("Exchange rounds: the rounds of the library are unknown") {
  CHECK_THROWS_AS(exchange_rounds({AllreduceAlgorithm::library, 8, 2}, 0), std::logic_error);
  CHECK_THROWS_AS(round_series(AllreduceAlgorithm::library, 2), std::logic_error);
}

TEST_CASE("Round series: they count the rounds, bytes and additions of the busiest rank") {
  constexpr std::int64_t elements = 720720;  // It is divisible by all numbers up to 16.
  for (AllreduceAlgorithm algorithm : Enumerators<AllreduceAlgorithm>::all) {
    if (algorithm == AllreduceAlgorithm::library) continue;
    for (int ranks = 1; ranks <= 16; ++ranks) {
      for (int per_node = 1; per_node <= ranks; ++per_node) {
        if (ranks % per_node == 0) check_counts({algorithm, elements, ranks, per_node});
      }
    }
  }
}

TEST_CASE("Round series: the halves of a ring add up to the ring") {
  const RoundSeries series = ring_series(5);
  CHECK(round_count(series, CollectiveKind::reduce_scatter) == 4);
  CHECK(round_count(series, CollectiveKind::allgather) == 4);
  CHECK(round_count(series, CollectiveKind::allreduce) == 8);
  CHECK(adding_rounds(series, CollectiveKind::reduce_scatter) == 4);
  CHECK(adding_rounds(series, CollectiveKind::allgather) == 0);
  CHECK(adding_rounds(series, CollectiveKind::allreduce) == 4);
}

TEST_CASE("members_per_node: the number on each node if it is equal, else one") {
  CHECK(members_per_node(RankGroup(0, 8), 4) == 4);
  CHECK(members_per_node(RankGroup(0, 8), 16) == 8);
  CHECK(members_per_node(RankGroup(1, 4, 2), 4) == 2);
  CHECK(members_per_node(RankGroup(0, 4, 4), 4) == 1);
  CHECK(members_per_node(RankGroup(0, 6), 4) == 1);  // The nodes have 4 and 2.
  CHECK(members_per_node(RankGroup(2, 4), 4) == 2);  // Both nodes have 2.
  CHECK(members_per_node(RankGroup(3, 4), 4) == 1);  // The nodes have 1 and 3.
  CHECK(members_per_node(RankGroup(0, 6, 3), 4) == 1);
  CHECK(members_per_node(RankGroup(5, 1), 4) == 1);
}

}  // namespace cnnplan
