// Checks that dead-end branches are folded into the units that they leave from.
#include "planner/search/graph/branch_folding.hpp"

#include <doctest/doctest.h>

namespace cnnplan {
namespace {

// 0 -> 1 is the path; 1 -> 2 -> 3 hangs on it. Unequal candidates cost 1.
CostGraph hanging_branch() {
  CostGraph graph{.units = {{0, 0}, {0, 0}, {0.5, 0}, {5, 0}}, .edges = {}};
  CostMatrix change(2, 2);
  change(0, 1) = change(1, 0) = 1;
  graph.edges = {{0, 1, change}, {1, 2, change}, {2, 3, change}};
  return graph;
}

}  // namespace

TEST_CASE("fold_branches: the branch's best is added to the unit that it hangs on") {
  const CostGraph graph = hanging_branch();
  const UnitCosts folded = fold_branches(graph, graph.units, {true, true, true, true}, {0, 1});
  // Candidate 0 of unit 1: shuffle once and take 1, 1. Candidate 1: 1, 1 for nothing.
  CHECK(folded[1] == std::vector<double>{1, 0});
  CHECK(folded[0] == graph.units[0]);
}

TEST_CASE("fold_branches: units that are fixed end a branch") {
  const CostGraph graph = hanging_branch();
  const UnitCosts folded = fold_branches(graph, graph.units, {true, true, true, false}, {0, 1});
  CHECK(folded[1] == std::vector<double>{0.5, 0});
}

TEST_CASE("fold_branches: a detour that leaves and rejoins the path stays") {
  CostGraph graph = hanging_branch();
  graph.edges.push_back({0, 3, CostMatrix(2, 2)});
  const UnitCosts folded = fold_branches(graph, graph.units, {true, true, true, true}, {0, 1});
  CHECK(folded == graph.units);
}

}  // namespace cnnplan
