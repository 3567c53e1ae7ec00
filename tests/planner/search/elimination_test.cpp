// Tests of planner/search/elimination.
#include "planner/search/elimination.hpp"

#include <doctest/doctest.h>

#include "planner/search/longest_path_first.hpp"
#include "tests/planner/search/random_graph.hpp"

namespace cnnplan {
namespace {

constexpr double rounding = 1e-12;

// A residual network: blocks of two units with a shortcut around them.
CostGraph random_residual(std::mt19937& random, int blocks) {
  CostGraph graph = random_line(random, {.units = 1 + 2 * blocks, .most_candidates = 3});
  for (int block = 0; block < blocks; ++block) {
    const int from = 2 * block;
    CostMatrix costs(graph.candidate_count(from), graph.candidate_count(from + 2));
    for (int row = 0; row < costs.rows(); ++row) costs(row, row % costs.columns()) = 0.7;
    graph.edges.push_back({from, from + 2, costs});
  }
  return graph;
}

}  // namespace

TEST_CASE("eliminate: exact on lines, trees and residual networks") {
  std::mt19937 random(5);
  for (int round = 0; round < 300; ++round) {
    const int kind = round % 3;
    const GraphSize size{.units = 1 + round % 8, .most_candidates = 3};
    const CostGraph graph = kind == 0   ? random_line(random, size)
                            : kind == 1 ? random_tree(random, size)
                                        : random_residual(random, 1 + round % 4);
    CAPTURE(round);
    const Elimination result = eliminate(graph);
    const double least = total_cost(graph, brute_force(graph));
    REQUIRE(result.optimum.has_value());
    CHECK(total_cost(graph, *result.optimum) == doctest::Approx(least).epsilon(rounding));
    CHECK(result.bound == doctest::Approx(least).epsilon(rounding));
  }
}

TEST_CASE("least_with_each: what the best assignment with a candidate costs") {
  std::mt19937 random(8);
  for (int round = 0; round < 100; ++round) {
    CAPTURE(round);
    const GraphSize size{.units = 1 + round % 6, .most_candidates = 3};
    const CostGraph graph =
        round % 2 == 0 ? random_tree(random, size) : random_residual(random, 1 + round % 3);
    const auto found = least_with_each(graph);
    REQUIRE(found.size() == graph.units.size());
    for (std::size_t unit = 0; unit < found.size(); ++unit) {
      REQUIRE(found[unit].size() == graph.units[unit].size());
      for (std::size_t i = 0; i < found[unit].size(); ++i) {
        CostGraph dearer = graph;
        for (std::size_t j = 0; j < found[unit].size(); ++j) {
          if (j != i) dearer.units[unit][j] += 1000;
        }
        const double least = total_cost(dearer, brute_force(dearer));
        CHECK(found[unit][i] == doctest::Approx(least).epsilon(rounding));
      }
    }
  }
}

TEST_CASE("lower_bound: never above the optimum, above the sum of the minima") {
  std::mt19937 random(6);
  int incomplete = 0;
  for (int round = 0; round < 300; ++round) {
    const CostGraph graph = random_branches(random, {.units = 2 + round % 7, .most_candidates = 3});
    const Elimination result = eliminate(graph);
    const double least = total_cost(graph, brute_force(graph));
    CHECK(lower_bound(graph) <= least + rounding);
    CHECK(lower_bound(graph) <= total_cost(graph, longest_path_first(graph)) + rounding);
    CHECK(lower_bound(graph) > 0);
    if (!result.optimum) ++incomplete;
  }
  CHECK(incomplete > 0);
}

TEST_CASE("lower_bound: nothing costs nothing") {
  CHECK(lower_bound({}) == 0.0);
}

TEST_CASE("eliminate: a large residual network stays exact") {
  std::mt19937 random(7);
  const CostGraph graph = random_residual(random, 85);
  const Elimination result = eliminate(graph);
  REQUIRE(result.optimum.has_value());
  CHECK(total_cost(graph, *result.optimum) == doctest::Approx(result.bound).epsilon(rounding));
}

}  // namespace cnnplan
