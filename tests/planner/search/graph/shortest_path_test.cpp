// Compares shortest paths on lines with brute force and with Boost.Graph.
#include "planner/search/graph/shortest_path.hpp"

#include <cmath>
#include <stdexcept>
#include <utility>

#include <doctest/doctest.h>

#include "planner/search/graph/vertex_path.hpp"
#include "tests/planner/search/graph/random_graph.hpp"

namespace cnnplan {
namespace {

// Whole numbers, so that many paths are equally short.
CostGraph with_ties(CostGraph graph) {
  for (std::vector<double>& unit : graph.units) {
    for (double& cost : unit) cost = std::floor(3 * cost);
  }
  for (CostEdge& edge : graph.edges) {
    CostMatrix costs = edge.costs.matrix();
    for (int row = 0; row < costs.rows(); ++row) {
      for (double& cost : costs.row(row)) cost = std::floor(3 * cost);
    }
    edge.costs = std::move(costs);
  }
  return graph;
}

}  // namespace

TEST_CASE("shortest_path: equals brute force on random lines") {
  std::mt19937 random(1);
  for (int round = 0; round < 600; ++round) {
    const CostGraph graph = random_line(random, {.units = 1 + round % 7, .most_candidates = 4});
    CAPTURE(round);
    CHECK(shortest_path(graph) == brute_force(graph));
  }
}

TEST_CASE("shortest_path: of equal paths the one that Boost.Graph finds") {
  std::mt19937 random(2);
  for (int round = 0; round < 600; ++round) {
    const CostGraph graph = random_line(random, {.units = 1 + round % 40, .most_candidates = 6});
    CAPTURE(round);
    CHECK(shortest_path(graph) == shortest_path_of_vertices(graph));
    CHECK(shortest_path(with_ties(graph)) == shortest_path_of_vertices(with_ties(graph)));
  }
}

TEST_CASE("shortest_path: a costly shuffle keeps the candidate") {
  // Each unit alone prefers another candidate; changing costs 10.
  CostGraph graph{.units = {{1, 2}, {3, 1}, {1, 2}}, .edges = {}};
  CostMatrix change(2, 2);
  change(0, 1) = change(1, 0) = 10;
  graph.edges = {{0, 1, change}, {1, 2, change}};
  const Assignment assignment = shortest_path(graph);
  CHECK(total_cost(graph, assignment) == 5);
  CHECK(assignment[0] == assignment[1]);
  CHECK(assignment[1] == assignment[2]);
}

TEST_CASE("shortest_path: several edges between two units add up") {
  CostGraph graph{.units = {{0, 1}, {0}}, .edges = {}};
  CostMatrix costs(2, 1);
  costs(0, 0) = 0.6;
  graph.edges = {{0, 1, costs}, {0, 1, costs}};
  CHECK(shortest_path(graph) == Assignment{1, 0});
}

TEST_CASE("shortest_path: nothing to assign, nothing assigned") {
  CHECK(shortest_path({}).empty());
  CHECK(shortest_path({.units = {{3, 1, 2}}, .edges = {}}) == Assignment{1});
}

TEST_CASE("shortest_path: refuses branches") {
  CostGraph graph{.units = {{0}, {0}, {0}}, .edges = {}};
  graph.edges.push_back({0, 2, CostMatrix(1, 1)});
  CHECK_THROWS_AS(shortest_path(graph), std::logic_error);
}

}  // namespace cnnplan
