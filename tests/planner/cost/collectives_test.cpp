// Tests of planner/cost/collectives.
#include "planner/cost/collectives.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include <doctest/doctest.h>

#include "planner/platform/exchange_rounds.hpp"
#include "planner/tensor/enumerators.hpp"
#include "tests/relative.hpp"

namespace cnnplan {
namespace {

using enum AllreduceAlgorithm;
constexpr auto full = CollectiveKind::allreduce;

Platform one_node() {
  Platform platform;
  platform.levels = {{.name = "node",
                      .ranks_per_group = 8,
                      .segments = {{1 << 30, 1e-6, 1e-10}},
                      .duplex_factor = 1.0,
                      .shared_by = 1}};
  platform.gamma_s_per_byte = 1e-11;
  return platform;
}

// Nodes of 4 ranks that share one adapter.
Platform two_nodes() {
  Platform platform = one_node();
  platform.levels[0].ranks_per_group = 4;
  platform.levels.push_back({.name = "cluster",
                             .ranks_per_group = 8,
                             .segments = {{1 << 30, 1e-5, 1e-9}},
                             .duplex_factor = 1.0,
                             .shared_by = 4});
  return platform;
}

double ring_s(const Platform& platform, const std::vector<int>& group, double bytes) {
  return allreduce_time_s(platform, links_of(platform, group), bytes, ring);
}

double library_s(const Platform& platform, const std::vector<int>& group, double bytes) {
  return allreduce_time_s(platform, links_of(platform, group), bytes, library);
}

}  // namespace

TEST_CASE("has_fit: for exactly the collective, algorithm and ranks that were measured") {
  Platform platform = one_node();
  constexpr auto whole = CollectiveKind::allreduce;
  CHECK_FALSE(has_fit(platform, 4, whole, library));
  platform.allreduce = {{.ranks = 4, .segments = {{1000, 1.0, 0.1}}}, {.ranks = 2, .segments = {}}};
  CHECK(has_fit(platform, 4, whole, library));
  CHECK_FALSE(has_fit(platform, 4, CollectiveKind::allgather, library));
  CHECK_FALSE(has_fit(platform, 2, whole, library));
  CHECK_FALSE(has_fit(platform, 8, whole, library));
  CHECK_FALSE(has_fit(platform, 4, whole, rabenseifner));
}

TEST_CASE("collective_time_s: halves that were measured take what was measured") {
  Platform platform = one_node();
  const GroupLinks links = links_of(platform, std::vector{0, 1, 2, 3});
  const auto seconds = [&](CollectiveKind kind, AllreduceAlgorithm algorithm) {
    return collective_time_s(platform, links, 4000, kind, algorithm);
  };
  platform.levels.front().ring_segments = {{1 << 20, 1.0, 0.001}};
  platform.allreduce = {{.ranks = 4, .segments = {{1 << 20, 6.0, 0.0}}}};
  for (CollectiveKind half : {CollectiveKind::reduce_scatter, CollectiveKind::allgather}) {
    CHECK(seconds(half, ring) == relative(3 * 2.0));
    CHECK(seconds(half, library) == relative(3.0));
  }
  platform.levels.front().allgather_segments = {{1 << 20, 2.0, 0.003}};
  platform.allreduce.push_back(
      {.ranks = 4, .segments = {{1 << 20, 1.0, 0.001}}, .kind = CollectiveKind::reduce_scatter});
  CHECK(seconds(CollectiveKind::reduce_scatter, ring) == relative(3 * 2.0));
  CHECK(seconds(CollectiveKind::allgather, ring) == relative(3 * 5.0));
  CHECK(seconds(CollectiveKind::reduce_scatter, library) == relative(5.0));
  CHECK(seconds(CollectiveKind::allgather, library) == relative(3.0));
  CHECK(seconds(CollectiveKind::allreduce, ring) == relative(6 * 2.0));
  CHECK(seconds(CollectiveKind::allreduce, library) == relative(6.0));
}

TEST_CASE("allreduce_time_s: the ring is the published one while a block is one chunk") {
  const LinearCost cost{1e-6, 1e-10, 1e-11};
  const double bytes = 4 * 65536;
  CHECK(ring_s(one_node(), {0, 1, 2, 3}, bytes) == relative(allreduce_ring_s(4, bytes, cost)));
  CHECK(ring_s(one_node(), {1, 5, 6}, 3000) == relative(allreduce_ring_s(3, 3000, cost)));
}

TEST_CASE("allreduce_time_s: larger blocks send one message per chunk, in the segment of a chunk") {
  Platform platform = one_node();
  platform.levels[0].segments = {{65536, 1e-6, 1e-10}, {1 << 30, 1e-6, 5e-10}};
  const double bytes = 2 * 10 * 65536;
  CHECK(ring_s(platform, {0, 1}, bytes) ==
        relative(2 * (10 * 1e-6 + bytes / 2 * 1e-10) + bytes / 2 * 1e-11));
}

TEST_CASE("allreduce_time_s: measured steps of the ring come before messages and additions") {
  Platform platform = one_node();
  platform.levels[0].ring_segments = {{1000, 2e-6, 1e-9}, {1 << 30, 3e-6, 2e-9}};
  CHECK(ring_s(platform, {0, 1, 2}, 3000) == relative(4 * (2e-6 + 1000 * 1e-9)));
  CHECK(ring_s(platform, {0, 1, 2}, 6000) == relative(4 * (3e-6 + 2000 * 2e-9)));
  CHECK(library_s(platform, {0, 1, 2}, 6000) == library_s(one_node(), {0, 1, 2}, 6000));
}

TEST_CASE("allreduce_time_s: sending and receiving at once costs the duplex factor") {
  Platform platform = one_node();
  platform.gamma_s_per_byte = 0;
  const double simplex_s = ring_s(platform, {0, 1}, 1000);
  platform.levels[0].duplex_factor = 1.8;
  CHECK(ring_s(platform, {0, 1}, 1000) == relative(1.8 * simplex_s));
}

TEST_CASE("allreduce_time_s: nothing to do takes no time") {
  CHECK(ring_s(one_node(), {3}, 1e6) == 0.0);
  CHECK(library_s(one_node(), {0, 1}, 0) == 0.0);
}

TEST_CASE("allreduce_time_s: a ring in node order crosses each adapter once") {
  Platform platform = two_nodes();
  platform.gamma_s_per_byte = 0;
  const double bytes = 8000;
  const double crossing_s = 1e-5 + 1000 * 1e-9;
  CHECK(ring_s(platform, {0, 1, 2, 3, 4, 5, 6, 7}, bytes) == relative(14 * crossing_s));
  // The worst order: all four ranks of a node send through its adapter.
  const double shared_s = 1e-5 + 4 * 1000 * 1e-9;
  CHECK(ring_s(platform, {0, 4, 1, 5, 2, 6, 3, 7}, bytes) == relative(14 * shared_s));
}

TEST_CASE("allreduce_time_s: groups that run at the same time share the adapter") {
  Platform platform = two_nodes();
  platform.gamma_s_per_byte = 0;
  // {0, 4} beside {1, 5}, {2, 6} and {3, 7}.
  CHECK(ring_s(platform, {0, 4}, 2000) == relative(2 * (1e-5 + 4 * 1000 * 1e-9)));
  // {0, 1, 4, 5} beside {2, 3, 6, 7}.
  CHECK(ring_s(platform, {0, 1, 4, 5}, 4000) == relative(6 * (1e-5 + 2 * 1000 * 1e-9)));
  // {0, 4, 5}: from rank 0 its node's four groups leave at once, from rank 5 two.
  CHECK(ring_s(platform, {0, 4, 5}, 3000) == relative(4 * (1e-5 + 4 * 1000 * 1e-9)));
  // Inside a node nothing is shared.
  CHECK(ring_s(platform, {4, 5}, 2000) == relative(2 * (1e-6 + 1000 * 1e-10)));
}

TEST_CASE("allreduce_time_s: the library's fit counts for its own number of ranks only") {
  Platform platform = one_node();
  platform.allreduce = {{.ranks = 2, .segments = {{1 << 20, 7e-6, 0.0}}}};
  CHECK(library_s(platform, {0, 1}, 4096) == relative(7e-6));
  const LinearCost cost{1e-6, 1e-10, 1e-11};
  CHECK(library_s(platform, {0, 1, 2}, 4096) == relative(allreduce_best_s(3, 4096, cost)));
}

TEST_CASE("allreduce_time_s: a fit of an algorithm is for that algorithm") {
  Platform platform = one_node();
  const GroupLinks links = links_of(platform, std::vector{0, 1});
  for (AllreduceAlgorithm algorithm : Enumerators<AllreduceAlgorithm>::all) {
    platform.allreduce = {{.ranks = 2, .segments = {{1 << 20, 7e-3, 0.0}}, .algorithm = algorithm}};
    for (AllreduceAlgorithm other : Enumerators<AllreduceAlgorithm>::all) {
      CAPTURE(to_text(algorithm));
      CAPTURE(to_text(other));
      CHECK((allreduce_time_s(platform, links, 4096, other) == 7e-3) == (other == algorithm));
    }
  }
}

TEST_CASE("allreduce_time_s: sums in rounds, on one level, as published") {
  const LinearCost cost{1e-6, 1e-10, 1e-11};
  const Platform platform = one_node();
  for (int ranks : {2, 3, 4, 6, 8}) {
    CAPTURE(ranks);
    const GroupLinks links = links_of(platform, RankGroup(0, ranks).ranks());
    for (double bytes : {8.0, 3e4, 1e5}) {
      CHECK(allreduce_time_s(platform, links, bytes, recursive_doubling) ==
            relative(allreduce_recursive_doubling_s(ranks, bytes, cost)));
      CHECK(allreduce_time_s(platform, links, bytes, rabenseifner) ==
            relative(allreduce_rabenseifner_s(ranks, bytes, cost)));
    }
  }
}

TEST_CASE("allreduce_time_s: hierarchical, as published") {
  const Platform platform = two_nodes();
  const double bytes = 8e7;
  const auto hierarchical_s = [&](const std::vector<int>& group, int inside) {
    return allreduce_time_s(platform, links_of(platform, group, inside), bytes, hierarchical);
  };
  const NodeGroup nodes{.ranks_per_node = 4,
                        .nodes = 2,
                        .adapter_sharing = platform.levels[1].shared_by,
                        .inner = {1e-6, 1e-10, platform.gamma_s_per_byte},
                        .outer = {1e-5, 1e-9, platform.gamma_s_per_byte}};
  CHECK(hierarchical_s({0, 1, 2, 3, 4, 5, 6, 7}, 4) ==
        relative(allreduce_hierarchical_s(nodes, bytes)));
  // One node: a ring.
  CHECK(hierarchical_s({0, 1, 2}, 3) == relative(allreduce_ring_s(3, bytes, nodes.inner)));
  // Every rank a node of its own: halving on a power of two, else a ring.
  CHECK(hierarchical_s({0, 1, 2, 3}, 1) ==
        relative(allreduce_rabenseifner_s(4, bytes, nodes.inner)));
  CHECK(hierarchical_s({0, 1, 2}, 1) == relative(allreduce_ring_s(3, bytes, nodes.inner)));
}

TEST_CASE("allreduce_time_s: without a fit each algorithm is priced by its longest message") {
  Platform platform = one_node();
  platform.gamma_s_per_byte = 0;
  platform.levels[0].segments = {{1000, 1e-6, 0.0}, {1 << 30, 1e-3, 0.0}};
  // Rabenseifner sends halves, 4 messages of at most 750 bytes; doubling sends 1500, a ring 6
  // times.
  CHECK(library_s(platform, {0, 1, 2, 3}, 1500) == relative(4e-6));
}

TEST_CASE("allreduce_time_s: without a fit all ranks of a node share its adapter") {
  Platform platform = two_nodes();
  platform.gamma_s_per_byte = 0;
  const std::vector<int> group{0, 1, 2, 3, 4, 5, 6, 7};
  // Two rounds inside the nodes, one between them.
  CHECK(library_s(platform, group, 8) == relative(2 * (1e-6 + 8 * 1e-10) + 1e-5 + 4 * 8 * 1e-9));
}

TEST_CASE("allreduce_time_s: without a fit, on one level, as published") {
  const LinearCost cost{1e-6, 1e-10, 1e-11};
  for (const std::vector<int>& group :
       {std::vector{0, 1}, {0, 1, 2}, {0, 1, 2, 3}, {0, 1, 2, 3, 4}, {0, 1, 2, 3, 4, 5, 6, 7}}) {
    const int ranks = static_cast<int>(group.size());
    for (double bytes : {8.0, 3e4, 1e5}) {
      CHECK(library_s(one_node(), group, bytes) == relative(allreduce_best_s(ranks, bytes, cost)));
    }
  }
}

TEST_CASE("allreduce_time_s: without a fit large sums cross between nodes as slices") {
  Platform platform = two_nodes();
  platform.gamma_s_per_byte = 0;
  platform.levels[1].shared_by = 1;
  // Halves and quarters inside the nodes, eighths between them, all of it twice.
  const double bytes = 8e6;
  CHECK(library_s(platform, {0, 1, 2, 3, 4, 5, 6, 7}, bytes) ==
        relative(2 * (2e-6 + (4e6 + 2e6) * 1e-10 + 1e-5 + 1e6 * 1e-9)));
}

TEST_CASE("allreduce_time_s: without a fit small sums are faster than the ring") {
  const std::vector<int> group{0, 1, 2, 3, 4, 5, 6, 7};
  const Platform platform = one_node();
  CHECK(library_s(platform, group, 8) < ring_s(platform, group, 8));
  CHECK(library_s(platform, group, 1e8) <= ring_s(platform, group, 1e8));
}

namespace {

// Links whose every rule ends somewhere, at times with a jump.
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
    const GroupLinks links = links_of(platform, std::vector{0, 1, 2, 3, 4, 5});
    const auto time_s = [&](CollectiveKind kind) {
      return collective_time_s(platform, links, 3e6, kind, ring);
    };
    const double scatter_s = time_s(CollectiveKind::reduce_scatter);
    const double gather_s = time_s(CollectiveKind::allgather);
    CHECK(scatter_s + gather_s == relative(time_s(full)));
    CHECK(scatter_s >= gather_s);
  }
}

TEST_CASE("collective_time_s: the reduce-scatter adds, the allgather does not") {
  Platform platform = two_nodes();
  const GroupLinks links = links_of(platform, std::vector{0, 1, 2, 3});
  const auto time_s = [&](CollectiveKind kind) {
    return collective_time_s(platform, links, 4000.0, kind, ring);
  };
  const double scatter_s = time_s(CollectiveKind::reduce_scatter);
  const double gather_s = time_s(CollectiveKind::allgather);
  platform.gamma_s_per_byte += 1e-9;
  CHECK(time_s(CollectiveKind::reduce_scatter) == relative(scatter_s + 3 * 1000.0 * 1e-9));
  CHECK(time_s(CollectiveKind::allgather) == relative(gather_s));
  CHECK_THROWS_AS(
      collective_time_s(
          platform, links, 4000.0, CollectiveKind::allgather, AllreduceAlgorithm::rabenseifner),
      std::logic_error);
}

TEST_CASE("least_collective_s_per_byte: that of the longest sum while one rule holds") {
  for (AllreduceAlgorithm algorithm : Enumerators<AllreduceAlgorithm>::all) {
    const GroupLinks links = links_of(two_nodes(), std::vector{0, 1, 4, 5}, 2);
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
  const GroupLinks links = links_of(platform, std::vector{0, 1, 4, 5});
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
         {std::vector{0, 1}, {0, 1, 2}, {0, 1, 4, 5}, {0, 1, 2, 3, 4, 5}, {0, 2, 4, 6, 7}}) {
      const int inside = members_per_node(RankGroup(0, static_cast<int>(group.size())), 2);
      const GroupLinks links = links_of(platform, group, inside);
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
  const GroupLinks alone = links_of(one_node(), std::vector{3});
  CHECK(least_collective_s_per_byte(one_node(), alone, 1.0, full, ring) == 0.0);
}

}  // namespace cnnplan
