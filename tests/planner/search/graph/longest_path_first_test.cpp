// Checks that longest_path_first is optimal on lines and trees, and never better than brute force.
#include "planner/search/graph/longest_path_first.hpp"

#include <doctest/doctest.h>

#include "planner/search/graph/shortest_path.hpp"
#include "tests/planner/search/graph/random_graph.hpp"
#include "tests/relative.hpp"

namespace cnnplan {
namespace {

// Comparison of sums of at most a few dozen costs in another order.
constexpr double rounding = 1e-12;

CostEdge free_edge(const CostGraph& graph, int from, int to) {
  return {from, to, CostMatrix(graph.candidate_count(from), graph.candidate_count(to))};
}

}  // namespace

TEST_CASE("longest_path_first: equals the shortest path on lines") {
  std::mt19937 random(2);
  for (int round = 0; round < 100; ++round) {
    const CostGraph graph = random_line(random, {.units = 1 + round % 20, .most_candidates = 5});
    CHECK(longest_path_first(graph) == shortest_path(graph));
  }
}

TEST_CASE("longest_path_first: optimal on trees") {
  std::mt19937 random(3);
  for (int round = 0; round < 500; ++round) {
    const CostGraph graph = random_tree(random, {.units = 1 + round % 8, .most_candidates = 3});
    CAPTURE(round);
    CHECK(total_cost(graph, longest_path_first(graph)) ==
          relative(total_cost(graph, brute_force(graph)), rounding));
  }
}

TEST_CASE("longest_path_first: never better than brute force, often equal, on branches") {
  std::mt19937 random(4);
  int equal = 0;
  constexpr int rounds = 300;
  for (int round = 0; round < rounds; ++round) {
    const CostGraph graph = random_branches(random, {.units = 2 + round % 6, .most_candidates = 3});
    const double found = total_cost(graph, longest_path_first(graph));
    const double least = total_cost(graph, brute_force(graph));
    CHECK(found >= least - rounding);
    if (found <= least + rounding) ++equal;
  }
  CHECK(equal > rounds / 2);
}

TEST_CASE("longest_path: the heaviest, and of equal weight the one with more units") {
  // 0 -> 1 -> 3 and 0 -> 2 -> 3; unit 2 is heavier by its cheapest candidate.
  CostGraph graph{.units = {{1}, {1, 9}, {2, 3}, {1}}, .edges = {}};
  for (auto [from, to] : {std::pair{0, 1}, {0, 2}, {1, 3}, {2, 3}}) {
    graph.edges.push_back(free_edge(graph, from, to));
  }
  CHECK(longest_path(graph, {true, true, true, true}) == std::vector<int>{0, 2, 3});
  CHECK(longest_path(graph, {true, true, false, true}) == std::vector<int>{0, 1, 3});
  CHECK(longest_path(graph, {false, true, false, false}) == std::vector<int>{1});

  CostGraph weightless{.units = {{0}, {0}, {0}}, .edges = {}};
  weightless.edges = {
      free_edge(weightless, 0, 1), free_edge(weightless, 1, 2), free_edge(weightless, 0, 2)};
  CHECK(longest_path(weightless, {true, true, true}) == std::vector<int>{0, 1, 2});
}

TEST_CASE("longest_path_first: a shortcut follows the path that was fixed before it") {
  // The path 0 -> 1 -> 3 alone decides for candidate 1; unit 2 prefers 0 but must shuffle for it.
  CostGraph graph{.units = {{9, 5}, {9, 5}, {1.0, 1.5}, {9, 5}}, .edges = {}};
  CostMatrix change(2, 2);
  change(0, 1) = change(1, 0) = 1;
  graph.edges = {{0, 1, change}, {0, 2, change}, {1, 3, change}, {2, 3, change}};
  CHECK(longest_path_first(graph) == Assignment{1, 1, 1, 1});
}

}  // namespace cnnplan
