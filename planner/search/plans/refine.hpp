// Prices for as many pairs as it takes to be sure: pairs without a price only get dearer, so what
// costs least and has all its prices is what would cost least with all of them.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "planner/search/graph/min_marginals.hpp"
#include "planner/search/pricing/pricing.hpp"

namespace cnnplan {

// What costs least in `priced().graph`, the same as if all pairs had prices. Nothing where the
// graph is too entangled for elimination; all pairs have prices then.
std::optional<Assignment> least_additive(NetworkPricing& pricing);

// What an exact solver finds there. @pre the solver finds an assignment of least cost
Assignment least_additive_by(NetworkPricing& pricing, Assignment (*solver)(const CostGraph&));

// What the choices allow at best.
struct LeastStep {
  // No plan made of them is predicted a shorter step: the slowest sampled rank, with the best
  // choices for it alone, never waiting. The same as if all pairs had prices.
  double seconds = 0.0;
  // These choices, by sampled rank, without those ranks whose graph is too entangled. Reductions
  // count as much as in one bucket of all gradients there, while in `priced().graph` every unit's
  // are reduced alone: plans lie between.
  std::vector<Assignment> assignments;
};
LeastStep least_step(NetworkPricing& pricing);

// Candidates of a unit whose costs matter, by what they are known to cost at least.
using Wanted = std::function<std::vector<int>(int unit, const std::vector<double>& costs)>;
// Min-marginals of a graph of `priced()`, of what is wanted of every unit the same as if all pairs
// had prices, up to the least sum and `most_excess` times that more; beyond, none is told apart
// (infinity). Nothing where the graph is too entangled for them. @pre most_excess > 0
std::optional<MinMarginals> marginals_of_wanted(NetworkPricing& pricing,
                                                const CostGraph& graph,
                                                const Wanted& wanted,
                                                double most_excess);
// How much more this assignment costs there than the least, of that; 0 but for rounding where none
// costs less. As if all pairs had prices. @pre the least is above 0
double excess(NetworkPricing& pricing, const CostGraph& graph, const Assignment& assignment);

}  // namespace cnnplan
