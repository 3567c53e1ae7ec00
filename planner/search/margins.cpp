// Marginals of the cost graph, read for the choices of a plan.
#include "planner/search/margins.hpp"

#include <cmath>
#include <cstddef>
#include <optional>
#include <string>

#include "planner/search/elimination.hpp"

namespace cnnplan {
namespace {

// Beyond are prices of pairs that are in no plan worth finding (EdgePrices).
constexpr double most_margin_s = 1e6;
// Of sums over all units; what is less is a tie.
constexpr double rounding = 1e-12;

bool recomputes(const Plan& plan, const SearchUnit& unit) {
  for (LayerIndex layer : unit.layers) {
    if (plan.layers[static_cast<std::size_t>(layer)].recompute) return true;
  }
  return false;
}

// The candidate that the plan takes; nothing where it is none of them.
std::optional<std::size_t> chosen(const Plan& plan, const UnitSplits& choice) {
  const Split split = plan.layers[static_cast<std::size_t>(choice.unit.head())].split();
  const bool again = !choice.recompute.empty() && recomputes(plan, choice.unit);
  for (std::size_t i = 0; i < choice.splits.size(); ++i) {
    if (choice.splits[i] == split && choice.recomputes(i) == again) return i;
  }
  return std::nullopt;
}

// By unit; nothing where the plan is not made of these choices.
std::optional<Assignment> chosen(const Plan& blank, const Plan& plan, const SplitChoices& choices) {
  Assignment assignment;
  for (const UnitSplits& unit : choices.units) {
    const std::optional<std::size_t> candidate = chosen(plan, unit);
    if (!candidate) return std::nullopt;
    assignment.push_back(static_cast<int>(*candidate));
  }
  if (plan_of(blank, choices, assignment).layers != plan.layers) return std::nullopt;
  return assignment;
}

std::vector<std::string> names_of(const Network& network, const SearchUnit& unit) {
  std::vector<std::string> names;
  for (LayerIndex layer : unit.layers) names.push_back(network.layer(layer).name);
  return names;
}

// The cheapest candidate on another split than the chosen one.
std::optional<std::size_t> runner_up(const UnitSplits& choice,
                                     const std::vector<double>& costs,
                                     std::size_t chosen) {
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < costs.size(); ++i) {
    if (choice.splits[i] == choice.splits[chosen]) continue;
    if (!best || costs[i] < costs[*best]) best = i;
  }
  return best;
}

// By unit, the candidates that an assignment of at most `limit` may take.
std::vector<std::vector<int>> within(const UnitCosts& least, double limit) {
  constexpr double slack = 1e-9;  // of sums in another order
  std::vector<std::vector<int>> kept;
  for (const std::vector<double>& costs : least) {
    kept.emplace_back();
    for (std::size_t i = 0; i < costs.size(); ++i) {
      if (costs[i] <= limit * (1 + slack)) kept.back().push_back(static_cast<int>(i));
    }
  }
  return kept;
}

CostGraph restricted(const CostGraph& graph, const std::vector<std::vector<int>>& kept) {
  CostGraph result;
  for (std::size_t unit = 0; unit < kept.size(); ++unit) {
    result.units.emplace_back();
    for (int i : kept[unit]) {
      result.units.back().push_back(graph.units[unit][static_cast<std::size_t>(i)]);
    }
  }
  for (const CostEdge& edge : graph.edges) {
    result.edges.push_back({.from = edge.from,
                            .to = edge.to,
                            .costs = selected(edge.costs,
                                              kept[static_cast<std::size_t>(edge.from)],
                                              kept[static_cast<std::size_t>(edge.to)])});
  }
  return result;
}

// The cheapest assignment that takes this candidate. `least`: the marginals of `graph`, which leave
// few candidates of the others.
Assignment best_with(const CostGraph& graph,
                     const UnitCosts& least,
                     std::size_t unit,
                     std::size_t candidate) {
  std::vector<std::vector<int>> kept = within(least, least[unit][candidate]);
  kept[unit] = {static_cast<int>(candidate)};
  Assignment best = *eliminate(restricted(graph, kept)).optimum;
  for (std::size_t i = 0; i < best.size(); ++i) {
    best[i] = kept[i][static_cast<std::size_t>(best[i])];
  }
  return best;
}

std::vector<UnitChoice> changes_between(const PricedNetwork& priced,
                                        const Network& network,
                                        const Assignment& before,
                                        const Assignment& after) {
  std::vector<UnitChoice> changes;
  for (std::size_t unit = 0; unit < before.size(); ++unit) {
    if (before[unit] == after[unit]) continue;
    const UnitSplits& choice = priced.choices.units[unit];
    const auto candidate = static_cast<std::size_t>(after[unit]);
    changes.push_back({.layer = network.layer(choice.unit.head()).name,
                       .split = choice.splits[candidate],
                       .recompute = choice.recomputes(candidate)});
  }
  return changes;
}

}  // namespace

std::vector<UnitMargin> margins(const Plan& blank, const Plan& plan, const PricedNetwork& priced) {
  const auto taken = chosen(blank, plan, priced.choices);
  const std::optional<UnitCosts> costs = min_marginals(priced.graph);
  std::vector<UnitMargin> margins;
  if (!taken || !costs) return margins;
  const double plan_s = total_cost(priced.graph, *taken) * (1 - rounding);
  for (std::size_t unit = 0; unit < costs->size(); ++unit) {
    const UnitSplits& choice = priced.choices.units[unit];
    const std::vector<double>& cost = (*costs)[unit];
    const auto own = static_cast<std::size_t>((*taken)[unit]);
    const std::optional<std::size_t> second = runner_up(choice, cost, own);
    UnitMargin margin{.layers = names_of(plan.network, choice.unit)};
    if (second && cost[*second] < most_margin_s) {
      const double more_s = cost[*second] - cost[own];
      margin.runner_up = to_text(choice.splits[*second]);
      margin.margin_s = std::abs(more_s) < rounding * cost[own] ? 0.0 : more_s;
      if (cost[*second] >= plan_s) {
        const Assignment other = best_with(priced.graph, *costs, unit, *second);
        margin.changes = changes_between(priced, plan.network, *taken, other);
      }
    }
    margins.push_back(std::move(margin));
  }
  return margins;
}

}  // namespace cnnplan
