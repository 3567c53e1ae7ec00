// Compares assignments within a memory limit with the best of all assignments.
#include "planner/search/graph/memory_limit.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <doctest/doctest.h>

#include "planner/search/graph/elimination.hpp"
#include "tests/planner/search/graph/random_graph.hpp"
#include "tests/relative.hpp"

namespace cnnplan {
namespace {

constexpr double rounding = 1e-12;

// Calls `visit` with every assignment.
template <typename Visit>
void for_all(const CostGraph& graph, Visit&& visit) {
  Assignment assignment(graph.units.size(), 0);
  while (true) {
    visit(assignment);
    int unit = 0;
    while (unit < graph.unit_count()) {
      int& candidate = assignment[unit];
      if (++candidate < graph.candidate_count(unit)) break;
      candidate = 0;
      ++unit;
    }
    if (unit == graph.unit_count()) return;
  }
}

struct BruteForce {
  std::optional<double> seconds;  // of the fastest within the limit
  double least_bytes = INFINITY;
};

BruteForce brute_force(const LimitedGraph& graph) {
  BruteForce found;
  for_all(graph.seconds, [&](const Assignment& assignment) {
    const double bytes = total_cost(graph.bytes, assignment);
    found.least_bytes = std::min(found.least_bytes, bytes);
    if (bytes > graph.limit_bytes) return;
    const double seconds = total_cost(graph.seconds, assignment);
    if (!found.seconds || seconds < *found.seconds) found.seconds = seconds;
  });
  return found;
}

CostGraph random_graph(std::mt19937& random, int kind, const GraphSize& size) {
  if (kind == 0) return random_line(random, size);
  return kind == 1 ? random_tree(random, size) : random_branches(random, size);
}

// Draws a limit between the bytes of the smallest and of the fastest assignment. It may also be a
// little below or above both.
LimitedGraph random_limited(std::mt19937& random, int round) {
  LimitedGraph graph;
  const GraphSize size{.units = 1 + round % 8, .most_candidates = 3};
  graph.seconds = random_graph(random, round % 3, size);
  graph.bytes = random_bytes(random, graph.seconds);
  const double least = eliminate(graph.bytes).bound;
  const Elimination fastest = eliminate(graph.seconds);
  const double most = fastest.optimum ? total_cost(graph.bytes, *fastest.optimum) : 2 * least;
  const double share = std::uniform_real_distribution<double>(-0.05, 1.05)(random);
  graph.limit_bytes = std::floor(least + share * (most - least));
  return graph;
}

bool can_be_eliminated(const LimitedGraph& graph) {
  return eliminate(graph.seconds).optimum.has_value();
}

}  // namespace

TEST_CASE("eliminate_within, fastest_within: the best of all assignments within the limit") {
  std::mt19937 random(11);
  int tight = 0;
  int infeasible = 0;
  for (int round = 0; round < 1500; ++round) {
    CAPTURE(round);
    const LimitedGraph graph = random_limited(random, round);
    if (!can_be_eliminated(graph)) continue;
    const BruteForce expected = brute_force(graph);
    const ParetoResult labels = eliminate_within(graph);
    const WithinLimit found = fastest_within(graph);
    CHECK(labels.exact);
    CHECK(found.least_bytes == relative(expected.least_bytes, rounding));
    REQUIRE(labels.best.has_value() == expected.seconds.has_value());
    REQUIRE(found.best.has_value() == expected.seconds.has_value());
    if (!expected.seconds) {
      ++infeasible;
      continue;
    }
    CHECK(found.exact);
    for (const Assignment& best : {*labels.best, *found.best}) {
      CHECK(total_cost(graph.bytes, best) <= graph.limit_bytes);
      CHECK(total_cost(graph.seconds, best) == relative(*expected.seconds, rounding));
    }
    CHECK(found.bound_s == relative(*expected.seconds, rounding));
    if (*expected.seconds > eliminate(graph.seconds).bound * (1 + 1e-9)) ++tight;
  }
  CHECK(tight > 300);
  CHECK(infeasible > 10);
}

TEST_CASE("eliminate_within: few labels stay within the limit, and say that they are few") {
  std::mt19937 random(12);
  int inexact = 0;
  for (int round = 0; round < 200; ++round) {
    CAPTURE(round);
    LimitedGraph graph = random_limited(random, 6 + 8 * round);
    if (!can_be_eliminated(graph)) continue;
    const BruteForce expected = brute_force(graph);
    const ParetoResult few = eliminate_within(graph, {.most = 2});
    REQUIRE(few.best.has_value() == expected.seconds.has_value());
    if (!few.best) continue;
    CHECK(total_cost(graph.bytes, *few.best) <= graph.limit_bytes);
    const double seconds = total_cost(graph.seconds, *few.best);
    CHECK(seconds >= *expected.seconds * (1 - rounding));
    if (seconds > *expected.seconds * (1 + 1e-9)) {
      ++inexact;
      CHECK_FALSE(few.exact);
    }
  }
  CHECK(inexact > 0);
}

TEST_CASE("eliminate_within: where the labels run out, the result says so") {
  std::mt19937 random(15);
  int cut = 0;
  for (int round = 0; round < 300; ++round) {
    CAPTURE(round);
    const LimitedGraph graph = random_limited(random, round);
    const ParetoResult all = eliminate_within(graph);
    const ParetoResult few = eliminate_within(graph, {.most_made = 20});
    if (few.exact) {
      CHECK(few.best == all.best);
      continue;
    }
    if (all.exact) ++cut;
    if (few.best) CHECK(total_cost(graph.bytes, *few.best) <= graph.limit_bytes);
  }
  CHECK(cut > 100);
}

TEST_CASE("fastest_within: bounds hold where units cannot be eliminated") {
  std::mt19937 random(13);
  int seen = 0;
  int raised = 0;  // above what the seconds alone say
  for (int round = 0; round < 600; ++round) {
    const LimitedGraph graph = random_limited(random, 2 + 3 * round);
    if (can_be_eliminated(graph)) continue;
    ++seen;
    CAPTURE(round);
    const BruteForce expected = brute_force(graph);
    const WithinLimit found = fastest_within(graph);
    CHECK(found.least_bytes <= expected.least_bytes);
    CHECK_FALSE(found.exact);
    if (expected.seconds) CHECK(found.bound_s <= *expected.seconds * (1 + rounding));
    if (found.bound_s > eliminate(graph.seconds).bound * (1 + rounding)) ++raised;
  }
  CHECK(seen > 10);
  CHECK(raised > 0);
}

TEST_CASE("fastest_within: a limit that nothing reaches changes nothing") {
  std::mt19937 random(14);
  LimitedGraph graph = random_limited(random, 7);
  graph.limit_bytes = 1e12;
  const WithinLimit found = fastest_within(graph);
  REQUIRE(found.best.has_value());
  CHECK(found.exact);
  CHECK(found.bound_s == relative(eliminate(graph.seconds).bound));
}

TEST_CASE("fastest_within: of more pairs than labels can be made for, what prices of a byte find") {
  std::mt19937 random(12);
  const CostGraph seconds =
      random_line(random, {.units = 3000, .most_candidates = 20, .least_candidates = 20});
  LimitedGraph graph{.seconds = seconds, .bytes = random_bytes(random, seconds)};
  CHECK_FALSE(eliminate_within(graph).exact);
  const double fastest_bytes = total_cost(graph.bytes, *eliminate(seconds).optimum);
  graph.limit_bytes = (eliminate(graph.bytes).bound + fastest_bytes) / 2;
  const WithinLimit found = fastest_within(graph);
  REQUIRE(found.best.has_value());
  CHECK(total_cost(graph.bytes, *found.best) <= graph.limit_bytes);
  const double seconds_found = total_cost(seconds, *found.best);
  CHECK(found.bound_s <= seconds_found * (1 + rounding));
  CHECK(seconds_found < 1.001 * found.bound_s);
}

}  // namespace cnnplan
