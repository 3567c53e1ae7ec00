// Exact elimination of units with at most two neighbours.
#pragma once

#include <optional>

#include "planner/search/cost_graph.hpp"

namespace cnnplan {

struct Elimination {
  double bound = 0.0;  // no assignment costs less
  std::optional<Assignment>
      optimum;  // costs `bound`; absent where some units could not be eliminated
};

// Replaces units by what the best of their candidates costs for every choice of their neighbours:
// min-sum variable elimination, K^3 per unit with two neighbours, K^2 with one. Lines, trees,
// residual networks and whatever else has treewidth 2 vanish entirely and are solved exactly. If
// units with three or more neighbours remain, the minimum of each remaining unit and of each
// remaining pair bounds them.
// @pre check(graph) passes
Elimination eliminate(const CostGraph& graph);

// No assignment of `graph` costs less; equal to the optimum where everything is eliminated.
double lower_bound(const CostGraph& graph);

// By unit and candidate, the cost of the cheapest assignment that takes it: the steps of the
// elimination once more, backwards, at the same expense. Nothing where units remain.
// @pre check(graph) passes
std::optional<UnitCosts> min_marginals(const CostGraph& graph);

}  // namespace cnnplan
