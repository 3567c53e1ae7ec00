// Plans as assignments of a search problem that has their candidates only.
#include "planner/search/compared_plans.hpp"

#include <algorithm>
#include <utility>

#include "planner/search/pricing.hpp"

namespace cnnplan {
namespace {

UnitChoice own_choice(const Plan& plan, const SearchUnit& unit) {
  const auto recomputes = [&plan](LayerIndex layer) {
    return plan.layers[static_cast<std::size_t>(layer)].recompute;
  };
  return {.layer = plan.network.layer(unit.head()).name,
          .split = plan.layers[static_cast<std::size_t>(unit.head())].split(),
          .recompute = std::any_of(unit.layers.begin(), unit.layers.end(), recomputes)};
}

UnitChoice with_changes(const UnitChoice& own, const UnitMargin& margin) {
  const auto& changes = margin.changes;
  const auto found = std::find_if(changes.begin(), changes.end(), [&own](const UnitChoice& choice) {
    return choice.layer == own.layer;
  });
  return found == changes.end() ? own : *found;
}

UnitSplits candidates_of(const SearchUnit& unit, const std::vector<UnitChoice>& choices) {
  UnitSplits candidates{.unit = unit, .splits = {}};
  bool any_again = false;
  for (const UnitChoice& choice : choices) {
    candidates.splits.push_back(choice.split);
    candidates.recompute.push_back(choice.recompute);
    any_again = any_again || choice.recompute;
  }
  if (!any_again) candidates.recompute.clear();
  return candidates;
}

}  // namespace

ComparedPlans::ComparedPlans(const Plan& plan, const std::vector<const UnitMargin*>& margins)
    : plan_(plan), blank_(plan), assignments_(margins.size() + 1) {
  for (LayerPlan& layer : blank_.layers) layer.recompute = false;
  for (const SearchUnit& unit : search_units(plan.network)) add(unit, margins);
  for (std::size_t i = 0; i < margins.size(); ++i) {
    validate(plan_of(blank_, choices_, assignments_[i + 1]),
             "the runner-up of " + margins[i]->layers.front());
  }
}

void ComparedPlans::add(const SearchUnit& unit, const std::vector<const UnitMargin*>& margins) {
  const UnitChoice own = own_choice(plan_, unit);
  std::vector<UnitChoice> choices{own};
  assignments_.front().push_back(0);
  for (std::size_t i = 0; i < margins.size(); ++i) {
    const UnitChoice wanted = with_changes(own, *margins[i]);
    const auto found = std::find(choices.begin(), choices.end(), wanted);
    assignments_[i + 1].push_back(static_cast<int>(found - choices.begin()));
    if (found == choices.end()) choices.push_back(wanted);
  }
  choices_.units.push_back(candidates_of(unit, choices));
}

std::vector<double> ComparedPlans::sums_s(const Platform& platform, const Profile& profile) const {
  const KernelCosts kernels(profile, platform);
  const PriceList prices(platform, kernels);
  const PricedNetwork priced = price_network(blank_, choices_, prices);
  std::vector<double> sums_s;
  for (const Assignment& assignment : assignments_) {
    sums_s.push_back(total_cost(priced.graph, assignment));
  }
  return sums_s;
}

}  // namespace cnnplan
