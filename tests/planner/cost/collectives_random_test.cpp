// Tests that no sum takes less per byte than the least time, on platforms of random segments.
#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include <doctest/doctest.h>

#include "planner/cost/collectives.hpp"
#include "planner/platform/exchange_rounds.hpp"
#include "planner/tensor/enumerators.hpp"
#include "tests/planner/cost/node_platforms.hpp"
#include "tests/planner/tensor/group_of.hpp"
#include "tests/relative.hpp"

namespace cnnplan::test {
namespace {

using enum AllreduceAlgorithm;
constexpr auto full = CollectiveKind::allreduce;

// Returns segments that end at random sizes, some with a jump.
std::vector<Segment> random_segments(std::mt19937& random) {
  std::uniform_real_distribution<double> exponent(0.0, 1.0);
  std::vector<Segment> segments;
  std::int64_t end = 0;
  for (int i = 0; i < 3; ++i) {
    end += static_cast<std::int64_t>(std::pow(10.0, 3 + 4 * exponent(random)));
    segments.push_back({.max_bytes = end,
                        .alpha_s = std::pow(10.0, -6 + 2 * exponent(random)),
                        .beta_s_per_byte = std::pow(10.0, -10 + 2 * exponent(random))});
  }
  return segments;
}

Platform random_platform(std::mt19937& random, int round) {
  Platform platform = two_nodes();
  for (Level& level : platform.levels) {
    level.segments = random_segments(random);
    if (round % 3 == 1) level.ring_segments = random_segments(random);
    if (round % 2 == 1) level.exchange_segments = random_segments(random);
  }
  if (round % 3 == 2) {
    platform.allreduce = {{.ranks = 6,
                           .segments = random_segments(random),
                           .algorithm = round % 2 == 0 ? ring : library}};
  }
  return platform;
}

std::vector<CollectiveKind> kinds_of(AllreduceAlgorithm algorithm) {
  if (!has_halves(algorithm)) return {full};
  return {full, CollectiveKind::reduce_scatter, CollectiveKind::allgather};
}

}  // namespace

TEST_CASE("collective_time_s: the halves of a ring take as long as the ring") {
  std::mt19937 random(5);
  for (int round = 0; round < 60; ++round) {
    const Platform platform = random_platform(random, round);
    const GroupLinks links = links_of(platform, RankGroup(0, 6), 6);
    const auto time_s = [&](CollectiveKind kind) {
      return collective_time_s(platform, links, 3e6, kind, ring);
    };
    const double scatter_s = time_s(CollectiveKind::reduce_scatter);
    const double gather_s = time_s(CollectiveKind::allgather);
    CHECK(scatter_s + gather_s == relative(time_s(full)));
    CHECK(scatter_s >= gather_s);
  }
}

TEST_CASE("least_collective_s_per_byte: that of the longest sum while one rule holds") {
  for (AllreduceAlgorithm algorithm : Enumerators<AllreduceAlgorithm>::all) {
    const GroupLinks links = links_of(two_nodes(), group_of({0, 1, 4, 5}), 8, 2);
    const double bytes = 4 * 65536;
    CHECK(least_collective_s_per_byte(two_nodes(), links, bytes, full, algorithm) ==
          relative(allreduce_time_s(two_nodes(), links, bytes, algorithm) / bytes));
  }
}

TEST_CASE(
    "least_collective_s_per_byte: a few chunks inside the node, less than one between nodes") {
  Platform platform = two_nodes();
  platform.gamma_s_per_byte = 0.0;
  platform.levels[0].segments = {{1 << 30, 5e-6, 1e-11}};
  platform.levels[1].segments = {{1 << 30, 12e-6, 1e-11}};
  platform.levels[1].shared_by = 1;
  const GroupLinks links = links_of(platform, group_of({0, 1, 4, 5}), 8);
  const double three_chunks = 4 * 3 * 65536;
  CHECK(least_collective_s_per_byte(platform, links, three_chunks + 4096, full, ring) <=
        allreduce_time_s(platform, links, three_chunks, ring) / three_chunks * (1 + 1e-12));
}

TEST_CASE("least_collective_s_per_byte: no sum takes less per byte") {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> digits(2.0, 8.0);
  for (int round = 0; round < 60; ++round) {
    const Platform platform = random_platform(random, round);
    for (const std::vector<int>& group :
         {std::vector{0, 1}, {0, 1, 2}, {0, 1, 4, 5}, {0, 1, 2, 3, 4, 5}, {0, 2, 4, 6}}) {
      const int inside = members_per_node(RankGroup(0, static_cast<int>(group.size())), 2);
      const GroupLinks links = links_of(platform, group_of(group), 8, inside);
      for (AllreduceAlgorithm algorithm : Enumerators<AllreduceAlgorithm>::all) {
        const double most_bytes = std::pow(10.0, digits(random));
        for (CollectiveKind kind : kinds_of(algorithm)) {
          const auto time_s = [&](double bytes) {
            return collective_time_s(platform, links, bytes, kind, algorithm);
          };
          const double least =
              least_collective_s_per_byte(platform, links, most_bytes, kind, algorithm);
          CHECK(least > 0.0);
          for (int trial = 0; trial < 400; ++trial) {
            const double bytes = std::min(most_bytes, std::pow(10.0, digits(random)));
            CHECK(least <= time_s(bytes) / bytes * (1 + 1e-12));
          }
        }
      }
    }
  }
  const GroupLinks alone = links_of(one_node(), RankGroup(3, 1), 8);
  CHECK(least_collective_s_per_byte(one_node(), alone, 1.0, full, ring) == 0.0);
}

}  // namespace cnnplan::test
