// Prices only as many pairs as the optimum needs. A pair without a price has a lower bound in its
// place, so a price only makes it dearer. An optimum whose pairs all have prices thus stays the
// optimum when every pair is priced.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "planner/search/graph/min_marginals.hpp"
#include "planner/search/pricing/pricing.hpp"

namespace cnnplan {

// Returns the cheapest assignment of `priced().graph`, as if all pairs had prices. Returns nothing
// where the graph is too entangled for elimination; all pairs have prices then.
std::optional<Assignment> cheapest_assignment(NetworkPricing& pricing);

// Returns the assignment that an exact solver finds in `priced().graph`.
// @pre the solver finds an assignment of least cost
Assignment cheapest_assignment_by(NetworkPricing& pricing, Assignment (*solver)(const CostGraph&));

// Bounds from below the step of every plan that is made of the choices.
struct StepLowerBound {
  // Holds the seconds of the slowest of probe_ranks, the few ranks that the search looks at. Each
  // has the best choices for it alone and never waits. No plan is predicted a shorter step. The
  // value is as if all pairs had prices.
  double seconds = 0.0;
  // Holds by probed rank the best choices for it alone, without the ranks whose graph is too
  // entangled. Reductions count as in one bucket of all gradients. In `priced().graph`, every
  // unit's gradients are reduced alone. Plans lie between the two.
  std::vector<Assignment> assignments;
};
// Finds the bound, and prices the pairs that it needs.
StepLowerBound step_lower_bound(NetworkPricing& pricing);

// Returns the candidates of a unit whose min-marginals the caller needs. `costs` are the
// min-marginals of all candidates of the unit so far, which are lower bounds.
using Wanted = std::function<std::vector<int>(int unit, const std::vector<double>& costs)>;
// Returns the min-marginals of a graph of `priced()`. Wanted candidates have the values that they
// would have if all pairs had prices. Values above (1 + `most_excess`) times the least sum are
// infinity. Returns nothing where the graph is too entangled. @pre most_excess > 0
std::optional<MinMarginals> marginals_of_wanted(NetworkPricing& pricing,
                                                const CostGraph& graph,
                                                const Wanted& wanted,
                                                double most_excess);
// Returns how much more the assignment costs in a graph of `priced()` than the cheapest one, as a
// part of the cheapest. It counts as if all pairs had prices. It is 0 except for rounding where no
// assignment costs less.
// @pre the cheapest assignment costs more than 0
double excess(NetworkPricing& pricing, const CostGraph& graph, const Assignment& assignment);

}  // namespace cnnplan
