// Reads from the marginals of the cost graph what the choices of a plan are better by.
#include "planner/search/explain/margins.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>

#include "planner/search/graph/rounding.hpp"
#include "planner/search/plans/halo_methods.hpp"
#include "planner/search/plans/lazy_optimum.hpp"
#include "planner/search/pricing/probe_ranks.hpp"

namespace cnnplan {
namespace {

// Larger margins come from prices of pairs that are in no plan worth finding (EdgePrices).
constexpr double most_margin_s = 1e6;

bool recomputes(const Plan& plan, const SearchUnit& unit) {
  for (LayerIndex layer : unit.layers) {
    if (plan.layers[layer].recompute) return true;
  }
  return false;
}

// Returns the candidate that the plan takes, or nothing where it takes none of them.
std::optional<std::size_t> chosen(const Plan& plan, const UnitSplits& choice) {
  const Split split = plan.layers[choice.unit.head()].split();
  const bool again = !choice.recompute.empty() && recomputes(plan, choice.unit);
  for (std::size_t i = 0; i < choice.splits.size(); ++i) {
    if (choice.splits[i] == split && choice.recomputes(i) == again) return i;
  }
  return std::nullopt;
}

// Returns the layers without the methods of halos and gathers, which are chosen after the splits.
IndexedVector<LayerIndex, LayerPlan> layers_by_choice(const Plan& plan) {
  IndexedVector<LayerIndex, LayerPlan> layers = exchanging_first(plan).layers;
  for (LayerPlan& layer : layers) layer.gather = GatherMethod::direct;
  return layers;
}

// Returns the taken candidate of every unit, or nothing where the plan is not made of these
// choices.
std::optional<Assignment> chosen(const Plan& blank, const Plan& plan, const SplitChoices& choices) {
  Assignment assignment;
  for (const UnitSplits& unit : choices.units) {
    const std::optional<std::size_t> candidate = chosen(plan, unit);
    if (!candidate) return std::nullopt;
    assignment.push_back(static_cast<int>(*candidate));
  }
  if (plan_of(blank, choices, assignment).layers != layers_by_choice(plan)) return std::nullopt;
  return assignment;
}

std::vector<std::string> names_of(const Network& network, const SearchUnit& unit) {
  std::vector<std::string> names;
  for (LayerIndex layer : unit.layers) names.push_back(network.layer(layer).name);
  return names;
}

// Returns the cheapest candidate on another split than the chosen one.
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

// Returns the chosen candidate, and the cheapest candidate on another split.
std::vector<int> own_and_other(const UnitSplits& choice,
                               const std::vector<double>& costs,
                               std::size_t own) {
  std::vector<int> both{static_cast<int>(own)};
  const std::optional<std::size_t> other = runner_up(choice, costs, own);
  if (other && costs[*other] < most_margin_s) both.push_back(static_cast<int>(*other));
  return both;
}

// Finds the margins of one plan, which is made of the choices of a network.
class Margins {
 public:
  // @pre `taken` makes a plan of `blank`
  Margins(const Plan& blank, Assignment taken, NetworkPricing& pricing)
      : blank_(blank), taken_(std::move(taken)), pricing_(pricing) {}

  // @returns false where the graph is too entangled
  bool find(const CostGraph& graph) {
    pricing_.price(taken_);
    const Wanted wanted = [&](int unit, const std::vector<double>& costs) {
      return own_and_other(choice(unit), costs, own(unit));
    };
    marginals_ =
        marginals_of_wanted(pricing_, graph, wanted, std::numeric_limits<double>::infinity());
    plan_s_ = total_cost(graph, taken_);
    return marginals_.has_value();
  }

  // @pre find() returned true
  UnitMargin of(int unit) const {
    const std::vector<double>& costs = marginals_->costs()[unit];
    const std::optional<std::size_t> second = runner_up(choice(unit), costs, own(unit));
    UnitMargin margin{.layers = names_of(blank_.network, choice(unit).unit)};
    if (!second || costs[*second] >= most_margin_s) return margin;
    const double more_s = costs[*second] - costs[own(unit)];
    margin.runner_up = to_text(choice(unit).splits[*second]);
    margin.margin_s = std::abs(more_s) < rounding_of_sums * costs[own(unit)] ? 0.0 : more_s;
    if (costs[*second] >= plan_s_ * (1 - rounding_of_sums)) {
      margin.changes = changes_with({.unit = unit, .candidate = static_cast<int>(*second)});
    }
    return margin;
  }

 private:
  const UnitSplits& choice(int unit) const { return pricing_.priced().choices.units[unit]; }
  std::size_t own(int unit) const { return taken_[unit]; }

  // Returns where the best assignment with `other` differs from the plan.
  Change differences_with(const Choice& other) const {
    Change change = marginals_->changes_with(other);
    if (taken_ == marginals_->optimum()) return change;
    Assignment best = marginals_->optimum();
    for (const auto& [unit, candidate] : change) best[unit] = candidate;
    change.clear();
    for (std::size_t unit = 0; unit < best.size(); ++unit) {
      if (best[unit] != taken_[unit]) change.push_back({static_cast<int>(unit), best[unit]});
    }
    return change;
  }

  std::vector<UnitChoice> changes_with(const Choice& other) const {
    std::vector<UnitChoice> changes;
    const Change differences = differences_with(other);
    if (differences.size() > most_told_changes) return changes;
    for (const auto& [unit, candidate] : differences) {
      const SearchUnit& layers = choice(unit).unit;
      changes.push_back(
          {.layer = blank_.network.layer(layers.head()).name,
           .split = choice(unit).splits[candidate],
           .recompute = choice(unit).recomputes(candidate) || recomputes(blank_, layers)});
    }
    return changes;
  }

  const Plan& blank_;
  Assignment taken_;
  NetworkPricing& pricing_;
  std::optional<MinMarginals> marginals_;
  double plan_s_ = 0.0;  // the sum of the plan's costs
};

// Returns the sum of operations that is closest to its minimum for the plan. With overlap, sums
// over one rank leave out everything that it sends, so that they do not tell plans apart.
OperationSum sum_of(const Plan& plan, const Assignment& taken, NetworkPricing& pricing) {
  if (plan.overlap) return {};
  std::vector<int> ranks{-1};
  for (int rank : probe_ranks(plan.ranks)) ranks.push_back(rank);
  OperationSum nearest;
  double least = std::numeric_limits<double>::infinity();
  for (int rank : ranks) {
    const OperationSum sum{.rank = rank};
    const double found = excess(pricing, pricing.priced().graph_of(sum, plan.ranks), taken);
    if (found >= least - rounding_of_sums) continue;
    nearest = sum;
    least = found;
    if (least <= rounding_of_sums) break;
  }
  return nearest;
}

}  // namespace

PlanMargins margins(const Plan& blank, const Plan& plan, NetworkPricing& pricing) {
  std::optional<Assignment> taken = chosen(blank, plan, pricing.priced().choices);
  if (!taken) return {};
  const int units = static_cast<int>(taken->size());
  PlanMargins margins{.units = {}, .sum = sum_of(plan, *taken, pricing)};
  Margins found(blank, std::move(*taken), pricing);
  if (!found.find(pricing.priced().graph_of(margins.sum, plan.ranks))) return {};
  for (int unit = 0; unit < units; ++unit) margins.units.push_back(found.of(unit));
  return margins;
}

bool is_made_of_choices(const Plan& plan) {
  const std::vector<Axis> axes = search_axes();
  return chosen(plan, plan, split_choices(plan, axes)).has_value() ||
         chosen(plan, plan, split_choices_with_recompute(plan, axes)).has_value();
}

}  // namespace cnnplan
