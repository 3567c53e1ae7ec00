// Solves and prices in rounds. For an optimum, every round prices twice as many candidates of every
// unit, so that there are few rounds. Marginals never ask for most of these prices. Their rounds
// price the pairs asked for, and the pairs without a price that look cheapest next to them.
#include "planner/search/plans/lazy_optimum.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "planner/search/graph/elimination.hpp"
#include "planner/search/graph/rounding.hpp"

namespace cnnplan {
namespace {

// Limits the neighbours that are priced with each pair: none in the first two rounds, one in the
// third, then twice as many and one.
constexpr std::size_t most_neighbours_priced = 15;

// Returns the `most` candidates of a unit that cost least, without those that cost more than
// `limit`.
std::vector<int> cheapest(const std::vector<double>& costs, std::size_t most, double limit) {
  std::vector<int> candidates;
  for (std::size_t i = 0; i < costs.size(); ++i) {
    if (costs[i] <= limit) candidates.push_back(static_cast<int>(i));
  }
  const auto end =
      candidates.begin() + static_cast<std::ptrdiff_t>(std::min(most, candidates.size()));
  std::partial_sort(
      candidates.begin(), end, candidates.end(), [&](int a, int b) { return costs[a] < costs[b]; });
  candidates.erase(end, candidates.end());
  return candidates;
}

std::vector<ChoicePair> pairs_with(const MinMarginals& marginals, const Wanted& wanted) {
  std::vector<Choice> choices;
  for (int unit = 0; unit < static_cast<int>(marginals.costs().size()); ++unit) {
    for (int candidate : wanted(unit, marginals.costs()[unit])) {
      choices.push_back({unit, candidate});
    }
  }
  return marginals.pairs_with(choices);
}

// Returns the optimum of one of the graphs of `pricing`.
Elimination refined(NetworkPricing& pricing, const CostGraph& graph) {
  double least_known = std::numeric_limits<double>::infinity();
  std::size_t most = 2;
  const Wanted may_cost_less = [&](int, const std::vector<double>& costs) {
    return cheapest(costs, most, least_known);
  };
  for (FoldedCosts folded;; most *= 2) {
    EliminationSteps found = elimination_steps(graph, folded);
    if (!found.optimum) {
      pricing.price_all();
      return eliminate(graph);
    }
    const Assignment optimum = *found.optimum;
    if (pricing.price(optimum) == 0) return {.bound = found.bound, .optimum = optimum};
    least_known = std::min(least_known, total_cost(graph, optimum));
    const MinMarginals marginals(std::move(found), least_known * (1 + rounding_of_sums));
    pricing.price(optimum, pairs_with(marginals, may_cost_less));
  }
}

}  // namespace

std::optional<Assignment> cheapest_assignment(NetworkPricing& pricing) {
  return refined(pricing, pricing.priced().graph).optimum;
}

Assignment cheapest_assignment_by(NetworkPricing& pricing, Assignment (*solver)(const CostGraph&)) {
  refined(pricing, pricing.priced().graph);
  for (;;) {
    Assignment found = solver(pricing.priced().graph);
    if (pricing.price(found) == 0) return found;
  }
}

StepLowerBound step_lower_bound(NetworkPricing& pricing) {
  StepLowerBound bound;
  for (const CostGraph& graph : pricing.priced().least) {
    Elimination found = refined(pricing, graph);
    bound.seconds = std::max(bound.seconds, found.bound);
    if (found.optimum) bound.assignments.push_back(std::move(*found.optimum));
  }
  bound.seconds += pricing.priced().updates_s;
  return bound;
}

double excess(NetworkPricing& pricing, const CostGraph& graph, const Assignment& assignment) {
  pricing.price(assignment);
  return total_cost(graph, assignment) / refined(pricing, graph).bound - 1.0;
}

std::optional<MinMarginals> marginals_of_wanted(NetworkPricing& pricing,
                                                const CostGraph& graph,
                                                const Wanted& wanted,
                                                double most_excess) {
  FoldedCosts folded;
  for (std::size_t neighbours = 0, round = 1;; ++round) {
    EliminationSteps steps = elimination_steps(graph, folded);
    if (!steps.optimum) return std::nullopt;
    const double limit = std::isinf(most_excess) ? most_excess : steps.bound * (1.0 + most_excess);
    std::optional<MinMarginals> marginals(std::in_place, std::move(steps), limit);
    const std::vector<ChoicePair> pairs = pairs_with(*marginals, wanted);
    if (pricing.price(marginals->optimum(), pairs, neighbours) == 0) return marginals;
    if (round > 1) neighbours = std::min(most_neighbours_priced, 2 * neighbours + 1);
  }
}

}  // namespace cnnplan
