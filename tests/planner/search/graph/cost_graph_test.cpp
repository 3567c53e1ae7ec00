// Checks matrices of costs, and the total cost of an assignment.
#include "planner/search/graph/cost_graph.hpp"

#include <limits>
#include <stdexcept>
#include <vector>

#include <doctest/doctest.h>

namespace cnnplan {
namespace {

// Makes a line of units with 2, 3 and 1 candidates.
CostGraph small_graph() {
  CostGraph graph{.units = {{1, 2}, {10, 20, 30}, {100}}, .edges = {}};
  CostMatrix first(2, 3);
  first(1, 2) = 1000;
  CostMatrix second(3, 1);
  second(2, 0) = 10000;
  graph.edges = {{0, 1, first}, {1, 2, second}};
  return graph;
}

// 10 * row + column.
CostMatrix numbered_costs() {
  CostMatrix costs(2, 3);
  for (int row = 0; row < 2; ++row) {
    for (int column = 0; column < 3; ++column) costs(row, column) = 10 * row + column;
  }
  return costs;
}

}  // namespace

TEST_CASE("transposed: each pair at its cost") {
  const CostMatrix costs = numbered_costs();
  const CostMatrix turned = transposed(costs);
  CHECK(turned.rows() == 3);
  CHECK(turned.columns() == 2);
  for (int row = 0; row < 2; ++row) {
    for (int column = 0; column < 3; ++column) CHECK(turned(column, row) == costs(row, column));
  }
}

TEST_CASE("SharedCosts: copies are the same matrix, equal ones need not be") {
  const SharedCosts costs = numbered_costs();
  const std::vector<SharedCosts> copies(2, costs);
  CHECK(&copies.front().matrix() == &costs.matrix());
  CHECK(&copies.back().matrix() == &costs.matrix());
  CHECK(&SharedCosts(numbered_costs()).matrix() != &costs.matrix());
  CHECK(SharedCosts(numbered_costs()) == costs);
  CHECK_FALSE(SharedCosts(transposed(numbered_costs())) == costs);
}

TEST_CASE("sum_of: pair by pair") {
  CostMatrix twice = numbered_costs();
  for (int row = 0; row < twice.rows(); ++row) {
    for (double& cost : twice.row(row)) cost *= 2;
  }
  CHECK(sum_of(numbered_costs(), numbered_costs()) == SharedCosts(twice));
}

TEST_CASE("selected: rows and columns as they are listed, as often as they are") {
  const CostMatrix costs = numbered_costs();
  CHECK(selected(costs, {0, 1}, {0, 1, 2}) == costs);
  const CostMatrix some = selected(costs, {1, 0, 1}, {2, 1});
  CHECK(some.rows() == 3);
  CHECK(some.columns() == 2);
  CHECK(some.values() == std::vector<double>{12, 11, 2, 1, 12, 11});
}

TEST_CASE("CostGraph: the total sums candidates and pairs") {
  CHECK(total_cost(small_graph(), {0, 0, 0}) == 111);
  CHECK(total_cost(small_graph(), {1, 2, 0}) == 2 + 30 + 100 + 1000 + 10000);
}

TEST_CASE("CostGraph: an edge costs the same from both ends") {
  const CostGraph graph = small_graph();
  CHECK(graph.edges[0].cost(0, 1, 2) == 1000);
  CHECK(graph.edges[0].cost(1, 2, 1) == 1000);
  CHECK(graph.edges[0].other(0) == 1);
  CHECK(graph.edges[0].other(1) == 0);
}

TEST_CASE("CostGraph: a line has edges between neighbours only") {
  CostGraph graph = small_graph();
  CHECK(is_line(graph));
  graph.edges.push_back({0, 2, CostMatrix(2, 1)});
  CHECK_FALSE(is_line(graph));
  CHECK_NOTHROW(check(graph));
}

TEST_CASE("CostGraph: broken graphs are refused") {
  CostGraph no_candidate = small_graph();
  no_candidate.units[1].clear();
  CHECK_THROWS_AS(check(no_candidate), std::logic_error);
  CostGraph backwards = small_graph();
  backwards.edges.push_back({2, 0, CostMatrix(1, 2)});
  CHECK_THROWS_AS(check(backwards), std::logic_error);
  CostGraph wrong_size = small_graph();
  wrong_size.edges.push_back({0, 2, CostMatrix(2, 2)});
  CHECK_THROWS_AS(check(wrong_size), std::logic_error);
  CostGraph infinite = small_graph();
  infinite.units[0][0] = std::numeric_limits<double>::infinity();
  CHECK_THROWS_AS(check(infinite), std::logic_error);
}

}  // namespace cnnplan
