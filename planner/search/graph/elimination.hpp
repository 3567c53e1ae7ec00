// Finds the cheapest assignment by eliminating units with at most two neighbours.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "planner/search/graph/cost_graph.hpp"
#include "planner/search/graph/folded_costs.hpp"

namespace cnnplan {

// Units with more neighbours are not eliminated.
inline constexpr int most_neighbours = 2;

// Holds the result of an elimination.
struct Elimination {
  double bound = 0.0;  // no assignment costs less
  // Costs `bound`. It is absent where some units could not be eliminated.
  std::optional<Assignment> optimum;
};

// Replaces each unit by the cost of its best candidate for every choice of its neighbours. This is
// min-sum variable elimination; with K candidates it takes K^3 per unit with two neighbours, and
// K^2 with one. Graphs of treewidth 2, such as lines, trees and residual networks, vanish entirely
// and are solved exactly. If units with three or more neighbours remain, the bound adds the least
// cost of each remaining unit and of each remaining pair.
// @pre check(graph) passes
Elimination eliminate(const CostGraph& graph);

// Describes an eliminated unit with its neighbours, none of which was eliminated before it. The
// costs include what units eliminated before it added to them. The rows of a pair's costs are the
// candidates of the neighbour.
struct EliminationStep {
  int unit = 0;
  std::vector<int> neighbours;          // at most most_neighbours
  std::vector<double> own_costs;        // by candidate of the unit
  std::vector<SharedCosts> pair_costs;  // by neighbour

  // Returns the numbers of candidates of the neighbours, in their order; 1 where there are fewer.
  std::array<int, most_neighbours> candidate_counts() const;
  // Returns the unit's best candidate for these candidates of the neighbours, the first if several
  // are equally good.
  int best_with(std::span<const int> candidates) const;
};

// Holds the result of an elimination with its steps.
struct EliminationSteps {
  double bound = 0.0;
  std::optional<Assignment> optimum;   // as in Elimination
  std::vector<EliminationStep> steps;  // in their order
};

// Eliminates as eliminate() does, and returns the steps, too. @pre check(graph) passes
EliminationSteps elimination_steps(const CostGraph& graph);
// Takes matrices from `folded` that the previous run has made, which is faster.
EliminationSteps elimination_steps(const CostGraph& graph, FoldedCosts& folded);

}  // namespace cnnplan
