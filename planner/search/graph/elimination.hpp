// Exact elimination of units with at most two neighbours.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "planner/search/graph/cost_graph.hpp"
#include "planner/search/graph/folded_costs.hpp"

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

// An eliminated unit, its neighbours, none of which was eliminated before it, and the costs as they
// were then: its own, and with each neighbour, whose candidates are rows.
struct EliminationStep {
  int unit = 0;
  std::vector<int> neighbours;
  std::vector<double> own_costs;
  std::vector<SharedCosts> pair_costs;

  // Of the neighbours, in their order; 1 where there are fewer.
  std::array<int, most_neighbours> candidate_counts() const;
  // The best of its candidates for these of the neighbours, the first of several.
  int best_with(std::span<const int> candidates) const;
};

struct EliminationSteps {
  double bound = 0.0;
  std::optional<Assignment> optimum;   // as in Elimination
  std::vector<EliminationStep> steps;  // in their order
};

// The same, with how it went. @pre check(graph) passes
EliminationSteps elimination_steps(const CostGraph& graph);
// The same, faster where `folded` knows parts of it from the run before.
EliminationSteps elimination_steps(const CostGraph& graph, FoldedCosts& folded);

}  // namespace cnnplan
