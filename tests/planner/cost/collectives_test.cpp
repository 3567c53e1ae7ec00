// Tests that collectives take the time of their rounds, as published or as measured.
#include "planner/cost/collectives.hpp"

#include <algorithm>
#include <stdexcept>
#include <vector>

#include <doctest/doctest.h>

#include "planner/platform/exchange_rounds.hpp"
#include "planner/tensor/enumerators.hpp"
#include "tests/planner/cost/collective_formulas.hpp"
#include "tests/planner/cost/node_platforms.hpp"
#include "tests/planner/tensor/group_of.hpp"
#include "tests/relative.hpp"

namespace cnnplan::test {
namespace {

using enum AllreduceAlgorithm;

double ring_s(const Platform& platform, const std::vector<int>& group, double bytes) {
  return allreduce_time_s(platform, links_of(platform, group_of(group), 8), bytes, ring);
}

double library_s(const Platform& platform, const std::vector<int>& group, double bytes) {
  return allreduce_time_s(platform, links_of(platform, group_of(group), 8), bytes, library);
}

}  // namespace

TEST_CASE("has_fit: only for the collective, algorithm and ranks that were measured") {
  Platform platform = one_node();
  constexpr auto whole = CollectiveKind::allreduce;
  const auto has = [&](int ranks, CollectiveKind kind, AllreduceAlgorithm algorithm) {
    return has_fit(platform, links_of(platform, RankGroup(0, ranks), ranks), kind, algorithm);
  };
  CHECK_FALSE(has(4, whole, library));
  platform.allreduce = {{.ranks = 4, .segments = {{1000, 1.0, 0.1}}}, {.ranks = 2, .segments = {}}};
  CHECK(has(4, whole, library));
  CHECK_FALSE(has(4, CollectiveKind::allgather, library));
  CHECK_FALSE(has(2, whole, library));
  CHECK_FALSE(has(8, whole, library));
  CHECK_FALSE(has(4, whole, rabenseifner));
}

TEST_CASE("has_fit: only for ranks that lie on nodes as the measured ones") {
  struct Case {
    const char* what;
    std::vector<int> group;
    int all_ranks;
    GroupPlace place;  // of the group
  };
  const std::vector<Case> cases{
      {"one node alone", {0, 1, 2, 3}, 16, {4, 1}},
      {"a rank on each node, with three other groups", {1, 5, 9, 13}, 16, {1, 4}},
      {"two ranks on each node, with another group", {0, 2, 4, 6}, 16, {2, 2}},
      {"two runs of two, with another group", {0, 1, 4, 5}, 16, {2, 2}},
      {"two of four ranks of a node", {0, 1}, 16, {2, 2}},
      {"two ranks, and no others", {0, 1}, 2, {2, 1}},
      {"all of a node and a half", {0, 1, 2, 3, 4, 5}, 6, {4, 1}},
      {"three of four ranks, the others on the next node", {0, 1, 2}, 6, {3, 2}},
      {"every second of six ranks on two nodes", {0, 2, 4}, 6, {2, 2}},
      {"every third of six ranks on two nodes", {0, 3}, 6, {2, 2}},
      {"two nodes", {0, 1, 2, 3, 4, 5, 6, 7}, 16, {4, 1}},
  };
  constexpr auto whole = CollectiveKind::allreduce;
  for (const Case& one : cases) {
    CAPTURE(one.what);
    Platform platform = two_nodes();
    platform.levels.back().ranks_per_group = 16;
    const GroupLinks links = links_of(platform, group_of(one.group), one.all_ranks);
    CHECK(links.place.ranks_per_node == one.place.ranks_per_node);
    CHECK(links.place.groups_at_once == one.place.groups_at_once);
    const auto ranks = static_cast<int>(one.group.size());
    for (int inside = 0; inside <= std::min(4, ranks); ++inside) {
      for (int groups = 1; groups <= 4; ++groups) {
        CAPTURE(inside);
        CAPTURE(groups);
        platform.allreduce = {{.ranks = ranks,
                               .segments = {{1000, 1.0, 0.0}},
                               .ranks_per_node = inside,
                               .groups_at_once = groups}};
        const int measured = inside > 0 ? inside : std::min(4, ranks);  // 0: packed
        CHECK(has_fit(platform, links, whole, library) ==
              (GroupPlace{measured, groups} == one.place));
      }
    }
  }
}

TEST_CASE("has_fit: what nodes with one rank each measured counts for any of their ranks") {
  Platform platform = one_node();
  platform.levels.front().name = "cluster";
  const GroupLinks links = links_of(platform, group_of({0, 5}), 8);
  // Old files say that both ranks shared a node.
  for (const int ranks_per_node : {0, 1, 2}) {
    platform.allreduce = {
        {.ranks = 2, .segments = {{1000, 1.0, 0.0}}, .ranks_per_node = ranks_per_node}};
    CHECK(has_fit(platform, links, CollectiveKind::allreduce, library));
  }
}

TEST_CASE("collective_time_s: measured halves take their measured time") {
  Platform platform = one_node();
  const GroupLinks links = links_of(platform, RankGroup(0, 4), 4);
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
  CHECK(ring_s(one_node(), {1, 3, 5}, 3000) == relative(allreduce_ring_s(3, 3000, cost)));
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

TEST_CASE("allreduce_time_s: measured exchanges count by the size of the message") {
  Platform platform = one_node();
  platform.gamma_s_per_byte = 0;
  platform.levels[0].exchange_segments = {{1000, 2e-6, 1e-10}, {1 << 30, 4e-6, 3e-10}};
  CHECK(ring_s(platform, {0, 1}, 2000) == relative(2 * (2e-6 + 1000 * 1e-10)));
  CHECK(ring_s(platform, {0, 1}, 4000) == relative(2 * (4e-6 + 2000 * 3e-10)));
  const GroupLinks two = links_of(platform, RankGroup(0, 2), 8);
  CHECK(allreduce_time_s(platform, two, 4000, recursive_doubling) == relative(4e-6 + 4000 * 3e-10));
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
  // The ranks of a node that is not full cross once, too.
  const GroupLinks six = links_of(platform, RankGroup(0, 6), 6);
  CHECK(allreduce_time_s(platform, six, 6000, ring) == relative(10 * crossing_s));
}

TEST_CASE("allreduce_time_s: groups that run at the same time share the adapter") {
  Platform platform = two_nodes();
  platform.gamma_s_per_byte = 0;
  // {0, 4} runs at the same time as {1, 5}, {2, 6} and {3, 7}.
  CHECK(ring_s(platform, {0, 4}, 2000) == relative(2 * (1e-5 + 4 * 1000 * 1e-9)));
  // {0, 1, 4, 5} runs at the same time as {2, 3, 6, 7}.
  CHECK(ring_s(platform, {0, 1, 4, 5}, 4000) == relative(6 * (1e-5 + 2 * 1000 * 1e-9)));
  // Inside a node nothing is shared.
  CHECK(ring_s(platform, {4, 5}, 2000) == relative(2 * (1e-6 + 1000 * 1e-10)));
}

TEST_CASE("allreduce_time_s: the library's fit counts for its own number of ranks only") {
  Platform platform = one_node();
  platform.allreduce = {{.ranks = 2, .segments = {{1 << 20, 7e-6, 0.0}}, .groups_at_once = 4}};
  CHECK(library_s(platform, {0, 1}, 4096) == relative(7e-6));
  const LinearCost cost{1e-6, 1e-10, 1e-11};
  CHECK(library_s(platform, {0, 1, 2}, 4096) == relative(allreduce_best_s(3, 4096, cost)));
}

TEST_CASE("allreduce_time_s: a fit of an algorithm is for that algorithm") {
  Platform platform = one_node();
  const GroupLinks links = links_of(platform, RankGroup(0, 2), 2);
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
    const GroupLinks links = links_of(platform, RankGroup(0, ranks), 8);
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
    return allreduce_time_s(
        platform, links_of(platform, group_of(group), 8, inside), bytes, hierarchical);
  };
  const NodeGroup nodes{.ranks_per_node = 4,
                        .nodes = 2,
                        .adapter_sharing = platform.levels[1].shared_by,
                        .inner = {1e-6, 1e-10, platform.gamma_s_per_byte},
                        .outer = {1e-5, 1e-9, platform.gamma_s_per_byte}};
  CHECK(hierarchical_s({0, 1, 2, 3, 4, 5, 6, 7}, 4) ==
        relative(allreduce_hierarchical_s(nodes, bytes)));
  // One node runs a ring.
  CHECK(hierarchical_s({0, 1, 2}, 3) == relative(allreduce_ring_s(3, bytes, nodes.inner)));
  // If every rank is a node of its own, a power of two of them runs halves, and other numbers of
  // them run a ring.
  CHECK(hierarchical_s({0, 1, 2, 3}, 1) ==
        relative(allreduce_rabenseifner_s(4, bytes, nodes.inner)));
  CHECK(hierarchical_s({0, 1, 2}, 1) == relative(allreduce_ring_s(3, bytes, nodes.inner)));
}

TEST_CASE("allreduce_time_s: without a fit each algorithm is priced by its longest message") {
  Platform platform = one_node();
  platform.gamma_s_per_byte = 0;
  platform.levels[0].segments = {{1000, 1e-6, 0.0}, {1 << 30, 1e-3, 0.0}};
  // Rabenseifner's algorithm sends 4 messages of at most 750 bytes. Doubling sends 1500 bytes, and
  // a ring has 6 rounds.
  CHECK(library_s(platform, {0, 1, 2, 3}, 1500) == relative(4e-6));
}

TEST_CASE("allreduce_time_s: without a fit all ranks of a node share its adapter") {
  Platform platform = two_nodes();
  platform.gamma_s_per_byte = 0;
  const std::vector<int> group{0, 1, 2, 3, 4, 5, 6, 7};
  // Two rounds stay inside the nodes, one goes between them.
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
  // Halves and quarters stay inside the nodes, eighths go between them, and all return.
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

TEST_CASE("collective_time_s: the reduce-scatter adds, the allgather does not") {
  Platform platform = two_nodes();
  const GroupLinks links = links_of(platform, RankGroup(0, 4), 4);
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

TEST_CASE("collective_time_s: a half of the library that was not measured is its fastest half") {
  const Platform platform = one_node();
  const GroupLinks links = links_of(platform, RankGroup(0, 8), 8);
  constexpr auto scatter = CollectiveKind::reduce_scatter;
  constexpr auto gather = CollectiveKind::allgather;
  const auto time_s = [&](double bytes, CollectiveKind kind, AllreduceAlgorithm algorithm) {
    return collective_time_s(platform, links, bytes, kind, algorithm);
  };
  // Rabenseifner's algorithm has three messages each way, of 7/8 of the bytes together.
  const double bytes = 8e6;
  const double moved_s = 3e-6 + 7.0 / 8.0 * bytes * 1e-10;
  CHECK(time_s(bytes, gather, library) == relative(moved_s));
  CHECK(time_s(bytes, scatter, library) == relative(moved_s + 7.0 / 8.0 * bytes * 1e-11));
  CHECK(time_s(bytes, gather, library) + time_s(bytes, scatter, library) ==
        relative(allreduce_time_s(platform, links, bytes, rabenseifner)));
  CHECK(time_s(bytes, gather, ring) > 1.1 * moved_s);  // in chunks
  // Over three ranks, which fold, a ring is faster.
  const GroupLinks three = links_of(platform, RankGroup(0, 3), 3);
  CHECK(collective_time_s(platform, three, 3e4, gather, library) ==
        relative(2 * (1e-6 + 1e4 * 1e-10)));
}

TEST_CASE("is_estimated_half: halves whose time was derived from another time") {
  Platform platform = one_node();
  const GroupLinks links = links_of(platform, RankGroup(0, 8), 8);
  constexpr auto gather = CollectiveKind::allgather;
  const auto is_estimated = [&](CollectiveKind kind, AllreduceAlgorithm algorithm) {
    return is_estimated_half(platform, links, kind, algorithm);
  };
  CHECK(is_estimated(gather, library));
  CHECK_FALSE(is_estimated(gather, ring));  // Its rounds are known.
  CHECK_FALSE(is_estimated(CollectiveKind::allreduce, library));
  platform.allreduce = {{.ranks = 8, .segments = {{1000, 1.0, 0.0}}}};
  CHECK(is_estimated(gather, library));  // half of an allreduce
  platform.allreduce.push_back({.ranks = 8, .segments = {{1000, 1.0, 0.0}}, .kind = gather});
  CHECK_FALSE(is_estimated(gather, library));
  CHECK(is_estimated(CollectiveKind::reduce_scatter, library));
}

TEST_CASE("links_of: messages share the ports that they take at once") {
  struct Case {
    const char* what;
    std::vector<int> group;
    int all_ranks;
    int shared_by;
    int sharing;  // of a ring between nodes of 4 ranks
  };
  const std::vector<Case> cases{
      {"one message leaves each node", {0, 1, 2, 3, 4, 5, 6, 7}, 8, 4, 1},
      {"all ranks of a node send", {0, 4}, 8, 4, 4},
      {"the ranks of a port send", {0, 4}, 8, 2, 2},
      {"each rank has its own port", {0, 4}, 8, 1, 1},
      {"two of the groups send", {0, 1, 4, 5}, 8, 4, 2},
      {"the other group has another port", {0, 1, 4, 5}, 8, 2, 1},
      {"the other group has the same port", {0, 2, 4, 6}, 8, 2, 2},
      {"a node that is not full", {0, 1, 2, 3, 4, 5}, 6, 2, 1},
      {"two ranks on a node that is not full", {0, 2, 4}, 6, 4, 2},
  };
  for (const Case& one : cases) {
    CAPTURE(one.what);
    Platform platform = two_nodes();
    platform.levels[1].shared_by = one.shared_by;
    const GroupLinks links = links_of(platform, group_of(one.group), one.all_ranks);
    int sharing = 0;
    for (const LinkUse& use : links.ring.links) {
      if (use.level == 1) sharing = use.sharing;
    }
    CHECK(sharing == one.sharing);
  }
}

namespace {

double bytes_of(const Range& range) {
  return 4.0 * static_cast<double>(range.size());
}

// Returns the time of one rank's messages and additions, one round after the other.
double rounds_s(const ExchangeShape& shape, int position, const LinearCost& cost) {
  double sum_s = 0.0;
  for (const ExchangeRound& round : exchange_rounds(shape, position)) {
    const double moved = std::max(bytes_of(round.sent), bytes_of(round.received));
    const double added = round.adds ? bytes_of(round.received) : 0.0;
    sum_s += cost.alpha_s + moved * cost.beta_s_per_byte + added * cost.gamma_s_per_byte;
  }
  return sum_s;
}

}  // namespace

TEST_CASE("allreduce_time_s: prices the rounds that a rank of exchange_rounds runs") {
  const LinearCost cost{1e-6, 1e-10, 1e-11};
  constexpr std::int64_t elements = 840;  // It is divisible by all numbers up to 8.
  for (AllreduceAlgorithm algorithm : {ring, recursive_doubling, rabenseifner, hierarchical}) {
    for (int ranks = 2; ranks <= 8; ++ranks) {
      for (int inside = 1; inside <= ranks; ++inside) {
        if (ranks % inside != 0) continue;
        CAPTURE(to_text(algorithm));
        CAPTURE(ranks);
        CAPTURE(inside);
        const ExchangeShape shape{algorithm, elements, ranks, inside};
        const int busiest = 1;  // It takes the values of rank 0 where ranks fold.
        const GroupLinks links = links_of(one_node(), RankGroup(0, ranks), 8, inside);
        CHECK(allreduce_time_s(one_node(), links, 4.0 * elements, algorithm) ==
              relative(rounds_s(shape, busiest, cost)));
      }
    }
  }
}

}  // namespace cnnplan::test
