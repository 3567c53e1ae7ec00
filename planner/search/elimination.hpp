// Exact elimination of units with at most two neighbours.
#pragma once

#include <optional>
#include <vector>

#include "planner/search/cost_graph.hpp"

namespace cnnplan {

// Units with more are not eliminated.
inline constexpr int most_neighbours = 2;

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

// An eliminated unit: its best candidate for every choice of its neighbours, none of which was
// eliminated before it.
struct EliminationStep {
  int unit = 0;
  std::vector<int> neighbours;
  std::vector<int> candidate_counts;  // of the neighbours
  std::vector<int> best;              // by the neighbours' candidates, the last one fastest
  // Of the unit and of it with each neighbour, as they were then.
  std::vector<double> own_costs;
  std::vector<CostMatrix> pair_costs;
};

struct EliminationSteps {
  double bound = 0.0;
  std::optional<Assignment> optimum;   // as in Elimination
  std::vector<EliminationStep> steps;  // in their order
};

// The same, with how it went. @pre check(graph) passes
EliminationSteps elimination_steps(const CostGraph& graph);

}  // namespace cnnplan
