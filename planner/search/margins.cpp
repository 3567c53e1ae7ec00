// Marginals of the cost graph, read for the choices of a plan.
#include "planner/search/margins.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>

#include "planner/search/refine.hpp"

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
std::optional<std::vector<std::size_t>> chosen(const Plan& blank,
                                               const Plan& plan,
                                               const SplitChoices& choices) {
  std::vector<std::size_t> all;
  Assignment assignment;
  for (const UnitSplits& unit : choices.units) {
    const std::optional<std::size_t> candidate = chosen(plan, unit);
    if (!candidate) return std::nullopt;
    all.push_back(*candidate);
    assignment.push_back(static_cast<int>(*candidate));
  }
  if (plan_of(blank, choices, assignment).layers != plan.layers) return std::nullopt;
  return all;
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

// The chosen candidate, and the `most` cheapest on other splits.
std::vector<int> own_and_others(const UnitSplits& choice,
                                const std::vector<double>& costs,
                                std::size_t own,
                                std::size_t most) {
  std::vector<int> others;
  for (std::size_t i = 0; i < costs.size(); ++i) {
    const bool is_other = choice.splits[i] != choice.splits[own];
    if (is_other && costs[i] < most_margin_s) others.push_back(static_cast<int>(i));
  }
  std::stable_sort(others.begin(), others.end(), [&](int a, int b) {
    return costs[static_cast<std::size_t>(a)] < costs[static_cast<std::size_t>(b)];
  });
  others.resize(std::min(most, others.size()));
  others.push_back(static_cast<int>(own));
  return others;
}

UnitMargin margin_of(const Network& network,
                     const UnitSplits& choice,
                     const std::vector<double>& costs,
                     std::size_t own) {
  const std::optional<std::size_t> second = runner_up(choice, costs, own);
  UnitMargin margin{.layers = names_of(network, choice.unit)};
  if (second && costs[*second] < most_margin_s) {
    const double more_s = costs[*second] - costs[own];
    margin.runner_up = to_text(choice.splits[*second]);
    margin.margin_s = std::abs(more_s) < rounding * costs[own] ? 0.0 : more_s;
  }
  return margin;
}

}  // namespace

std::vector<UnitMargin> margins(const Plan& blank, const Plan& plan, NetworkPricing& pricing) {
  const std::vector<UnitSplits>& choices = pricing.priced().choices.units;
  const auto taken = chosen(blank, plan, pricing.priced().choices);
  std::vector<UnitMargin> margins;
  if (!taken) return margins;
  const Wanted own_and_others_of =
      [&](int unit, const std::vector<double>& costs, std::size_t most) {
        const auto index = static_cast<std::size_t>(unit);
        return own_and_others(choices[index], costs, (*taken)[index], most);
      };
  const std::optional<UnitCosts> costs = marginals_of_wanted(pricing, own_and_others_of);
  if (!costs) return margins;
  for (std::size_t unit = 0; unit < costs->size(); ++unit) {
    margins.push_back(margin_of(plan.network, choices[unit], (*costs)[unit], (*taken)[unit]));
  }
  return margins;
}

}  // namespace cnnplan
