// Tests the rounds of collectives: every rank hears of every other, with the bytes and times of the
// algorithm.
#include "planner/simulate/collective_rounds.hpp"

#include <deque>
#include <map>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "planner/cost/collectives.hpp"
#include "planner/tensor/enumerators.hpp"
#include "tests/planner/simulate/two_nodes.hpp"
#include "tests/planner/tensor/group_of.hpp"
#include "tests/relative.hpp"

namespace cnnplan::test {
namespace {

constexpr int fp32_bytes = 4;

CollectiveOperation sum(const std::vector<int>& group, double bytes, AllreduceAlgorithm algorithm) {
  return {.algorithm = algorithm,
          .group = group_of(group),
          .operand = {},
          .elements = static_cast<std::int64_t>(bytes) / fp32_bytes};
}

std::vector<int> first_ranks(int count) {
  std::vector<int> ranks(static_cast<std::size_t>(count));
  std::iota(ranks.begin(), ranks.end(), 0);
  return ranks;
}

// Returns the rounds in a program of 16 ranks.
std::vector<Round> rounds_of(const Platform& platform,
                             const CollectiveOperation& operation,
                             int rank,
                             int all_ranks = 16) {
  const GroupLinks links = links_of(platform, operation.group, all_ranks, operation.ranks_per_node);
  return collective_rounds(platform, links, operation, rank);
}

double sent_bytes(const std::vector<Round>& rounds) {
  double bytes = 0.0;
  for (const Round& round : rounds) bytes += round.send.peer >= 0 ? round.send.bytes : 0.0;
  return bytes;
}

double added_s(const std::vector<Round>& rounds) {
  double seconds = 0.0;
  for (const Round& round : rounds) seconds += round.add_s;
  return seconds;
}

// Runs the rounds of all ranks, with the set of ranks that each has heard of in place of values.
// Ranks send first and then receive, as with isend.
class Hearsay {
 public:
  Hearsay(const Platform& platform, const CollectiveOperation& operation)
      : group_(operation.group.ranks()), heard_(group_.size()), next_(group_.size(), 0) {
    for (std::size_t i = 0; i < group_.size(); ++i) {
      rounds_.push_back(rounds_of(platform, operation, group_[i]));
      heard_[i] = {group_[i]};
      send(i);
    }
  }

  // Returns for each rank the ranks that it has heard of. The list is empty if a rank waits
  // forever.
  std::vector<std::set<int>> run() {
    for (bool progress = true; progress;) {
      progress = false;
      for (std::size_t i = 0; i < group_.size(); ++i) progress = advance(i) || progress;
    }
    for (std::size_t i = 0; i < group_.size(); ++i) {
      if (next_[i] != rounds_[i].size()) return {};
    }
    return heard_;
  }

 private:
  void send(std::size_t i) {
    if (next_[i] == rounds_[i].size()) return;
    const int peer = rounds_[i][next_[i]].send.peer;
    if (peer >= 0) mail_[{group_[i], peer}].push_back(heard_[i]);
  }

  bool advance(std::size_t i) {
    if (next_[i] == rounds_[i].size()) return false;
    const int peer = rounds_[i][next_[i]].receive.peer;
    if (peer >= 0) {
      std::deque<std::set<int>>& letters = mail_[{peer, group_[i]}];
      if (letters.empty()) return false;
      heard_[i].insert(letters.front().begin(), letters.front().end());
      letters.pop_front();
    }
    ++next_[i];
    send(i);
    return true;
  }

  std::vector<int> group_;
  std::vector<std::vector<Round>> rounds_;
  std::vector<std::set<int>> heard_;
  std::vector<std::size_t> next_;
  std::map<std::pair<int, int>, std::deque<std::set<int>>> mail_;  // from, to
};

}  // namespace

TEST_CASE("Allreduce rounds: every rank hears of every other") {
  const Platform platform = two_nodes(16);
  for (AllreduceAlgorithm algorithm : Enumerators<AllreduceAlgorithm>::all) {
    for (double bytes : {8.0, 4e4, 4e7}) {
      for (int ranks = 1; ranks <= 16; ++ranks) {
        CAPTURE(to_text(algorithm));
        CAPTURE(bytes);
        CAPTURE(ranks);
        CollectiveOperation operation = sum(first_ranks(ranks), bytes, algorithm);
        if (ranks % 4 == 0) operation.ranks_per_node = 4;
        const auto known = Hearsay(platform, operation).run();
        REQUIRE(known.size() == static_cast<std::size_t>(ranks));
        if (ranks == 1) continue;
        for (const std::set<int>& names : known) CHECK(names.size() == known.size());
      }
    }
  }
}

TEST_CASE("Collective rounds: a reduce-scatter is the half of a ring that adds") {
  for (const bool is_measured : {false, true}) {
    Platform platform = two_nodes();
    if (is_measured) {
      platform.allreduce = {
          {.ranks = 3, .segments = {{1 << 30, 1e-6, 1e-9}}, .algorithm = AllreduceAlgorithm::ring}};
    }
    CollectiveOperation operation = sum({2, 4, 6}, 1200, AllreduceAlgorithm::ring);
    const std::vector<Round> all = rounds_of(platform, operation, 6);
    operation.kind = CollectiveKind::reduce_scatter;
    const std::vector<Round> scatter = rounds_of(platform, operation, 6);
    operation.kind = CollectiveKind::allgather;
    const std::vector<Round> gather = rounds_of(platform, operation, 6);
    CHECK(scatter.size() == 2);
    CHECK(gather.size() == 2);
    CHECK(sent_bytes(scatter) == relative(800));
    CHECK(sent_bytes(gather) == relative(800));
    CHECK(added_s(scatter) == added_s(all));
    CHECK(added_s(gather) == 0.0);
  }
}

TEST_CASE("Allreduce rounds: nothing to do for one rank or no elements") {
  CHECK(rounds_of(two_nodes(), sum({5}, 64, AllreduceAlgorithm::ring), 5).empty());
  CHECK(rounds_of(two_nodes(), sum({1, 5}, 0, AllreduceAlgorithm::library), 5).empty());
}

TEST_CASE("Allreduce rounds: a ring sends 2(p-1)/p of the values to the next rank of its group") {
  const CollectiveOperation operation = sum({2, 4, 6}, 1200, AllreduceAlgorithm::ring);
  const std::vector<Round> rounds = rounds_of(two_nodes(), operation, 6);
  REQUIRE(rounds.size() == 4);
  CHECK(rounds[0].send.peer == 2);
  CHECK(rounds[0].receive.peer == 4);
  CHECK(sent_bytes(rounds) == relative(1600));
  CHECK(added_s(rounds) == relative(800e-9));
  CHECK(rounds[0].send.seconds == relative(10e-6 + 400 * 2e-9));
  const std::vector<Round> inside = rounds_of(two_nodes(), operation, 4);
  CHECK(inside[0].send.seconds == relative(1e-6 + 400 * 1e-9));
}

TEST_CASE("Allreduce rounds: a block of a ring takes as long as its chunks") {
  const double block = 150 << 10;  // three chunks of at most 64 KiB
  const CollectiveOperation operation = sum({0, 1}, 2 * block, AllreduceAlgorithm::ring);
  const std::vector<Round> rounds = rounds_of(two_nodes(), operation, 0);
  // Only the bytes and one latency are on the link, where others may slow them.
  CHECK(rounds[0].send_after_s == relative(2 * 3e-6));
  CHECK(rounds[0].send.seconds == relative(3e-6 + block * 1e-10));
}

TEST_CASE("Allreduce rounds: measured steps of a ring hold additions and both directions") {
  Platform platform = two_nodes();
  platform.levels[0].ring_segments = {{any_size, 2e-6, 4e-10}};
  platform.levels[0].duplex_factor = 2.0;
  const auto rounds = rounds_of(platform, sum({0, 1}, 20000, AllreduceAlgorithm::ring), 0);
  CHECK(added_s(rounds) == 0.0);
  // The link takes 1 us, and half of the other 5 us.
  CHECK(rounds[0].send.seconds == relative(1e-6 + 2.5e-6));
}

TEST_CASE("Allreduce rounds: measured halves take their measured time in their own rounds") {
  Platform platform = two_nodes(4);
  platform.allreduce = {
      {.ranks = 4, .segments = {{any_size, 90e-6, 0.0}}},
      {.ranks = 4, .segments = {{any_size, 30e-6, 0.0}}, .kind = CollectiveKind::reduce_scatter}};
  platform.levels[0].ring_segments = {{any_size, 2e-6, 0.0}};
  platform.levels[0].allgather_segments = {{any_size, 5e-6, 0.0}};
  const auto first_s = [&](CollectiveKind kind, AllreduceAlgorithm algorithm) {
    CollectiveOperation operation = sum(first_ranks(4), 4e4, algorithm);
    operation.kind = kind;
    const std::vector<Round> rounds = rounds_of(platform, operation, 0);
    CHECK(rounds.size() == 3);
    return rounds.at(0).send.seconds;
  };
  CHECK(first_s(CollectiveKind::reduce_scatter, AllreduceAlgorithm::library) == relative(10e-6));
  CHECK(first_s(CollectiveKind::allgather, AllreduceAlgorithm::library) == relative(15e-6));
  CHECK(first_s(CollectiveKind::reduce_scatter, AllreduceAlgorithm::ring) == relative(2e-6));
  CHECK(first_s(CollectiveKind::allgather, AllreduceAlgorithm::ring) == relative(5e-6));
}

TEST_CASE("Allreduce rounds: the library runs the rounds that the model assumes") {
  const Platform platform = two_nodes(4);
  const std::vector<int> group = first_ranks(4);
  const auto rounds = [&](double bytes) {
    return rounds_of(platform, sum(group, bytes, AllreduceAlgorithm::library), 0);
  };
  REQUIRE(assumed_algorithm(platform, links_of(platform, RankGroup(0, 4), 4), 8) ==
          AllreduceAlgorithm::recursive_doubling);
  CHECK(sent_bytes(rounds(8)) == 16.0);
  CHECK(rounds(8).size() == 2);
  REQUIRE(assumed_algorithm(platform, links_of(platform, RankGroup(0, 4), 4), 4e7) ==
          AllreduceAlgorithm::rabenseifner);
  CHECK(sent_bytes(rounds(4e7)) == relative(6e7));
  CHECK(added_s(rounds(4e7)) == relative(3e7 * 1e-9));
  CHECK(rounds(4e7).size() == 4);
}

TEST_CASE("Allreduce rounds: a measured library takes its time in equal rounds") {
  Platform platform = two_nodes(4);
  platform.allreduce = {{.ranks = 4, .segments = {{any_size, 50e-6, 0.0}}},
                        {.ranks = 3, .segments = {{any_size, 60e-6, 0.0}}}};
  const auto four = rounds_of(platform, sum(first_ranks(4), 4000, AllreduceAlgorithm::library), 1);
  REQUIRE(four.size() == 2);
  CHECK(four[0].send.seconds == relative(25e-6));
  CHECK(added_s(four) == 0.0);
  const auto three =
      rounds_of(platform, sum(first_ranks(3), 4000, AllreduceAlgorithm::library), 1, 3);
  REQUIRE(three.size() == 3);  // takes, exchanges, gives back
  CHECK(three[2].send.seconds == relative(20e-6));
}

TEST_CASE("Allreduce rounds: the measured time of an own algorithm is shared by its rounds") {
  Platform platform = two_nodes(4);
  const auto fit = [](int ranks, AllreduceAlgorithm algorithm) {
    return AllreduceFit{
        .ranks = ranks, .segments = {{any_size, 60e-6, 0.0}}, .algorithm = algorithm};
  };
  platform.allreduce = {fit(4, AllreduceAlgorithm::rabenseifner),
                        fit(3, AllreduceAlgorithm::hierarchical)};
  const auto halves =
      rounds_of(platform, sum(first_ranks(4), 4000, AllreduceAlgorithm::rabenseifner), 1);
  REQUIRE(halves.size() == 4);
  CHECK(halves[0].send.seconds == relative(15e-6));
  // Three nodes of one rank form a ring, since three is no power of two.
  const auto ring =
      rounds_of(platform, sum(first_ranks(3), 4800, AllreduceAlgorithm::hierarchical), 0, 3);
  REQUIRE(ring.size() == 4);
  for (const Round& round : ring) CHECK(round.send.seconds == relative(15e-6));
}

}  // namespace cnnplan::test
