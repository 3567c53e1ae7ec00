// Writes plans as assignments of a search problem that has their candidates only.
#include "planner/search/explain/compared_plans.hpp"

#include <algorithm>
#include <set>
#include <string>

#include "planner/base/error.hpp"
#include "planner/search/pricing/pricing.hpp"

namespace cnnplan {
namespace {

UnitChoice own_choice(const Plan& plan, const SearchUnit& unit) {
  const auto recomputes = [&plan](LayerIndex layer) { return plan.layers[layer].recompute; };
  return {.layer = plan.network.layer(unit.head()).name,
          .split = plan.layers[unit.head()].split(),
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
  blank_.prediction = {};
  for (LayerPlan& layer : blank_.layers) {
    layer.recompute = false;
    layer.halo = HaloMethod::exchange_first;
    layer.gather = GatherMethod::direct;
  }
  for (const SearchUnit& unit : search_units(plan.network)) add(unit, margins);
  check_own();
  check_changes(margins);
  for (std::size_t i = 0; i < margins.size(); ++i) {
    validate(plan_of(blank_, choices_, assignments_[i + 1]),
             "the runner-up of " + margins[i]->layers.front());
  }
}

// A plan with margins gives one split to layers that are split together.
void ComparedPlans::check_own() const {
  const Plan own = plan_of(blank_, choices_, assignments_.front());
  for (const LayerIndex i : own.layers.indices()) {
    if (own.layers[i].split() == plan_.layers[i].split()) continue;
    throw InputError({.file = "",
                      .pointer = "/layers/" + plan_.network.layer(i).name,
                      .value = to_text(plan_.layers[i].split()),
                      .allowed = to_text(own.layers[i].split()) +
                                 ", as the layer it follows, in a plan with margins"});
  }
}

void ComparedPlans::check_changes(const std::vector<const UnitMargin*>& margins) const {
  std::set<std::string> heads;
  for (const UnitSplits& unit : choices_.units) {
    heads.insert(plan_.network.layer(unit.unit.head()).name);
  }
  for (const UnitMargin* margin : margins) {
    for (const UnitChoice& change : margin->changes) {
      if (heads.contains(change.layer)) continue;
      throw InputError({.file = "",
                        .pointer = "/prediction/margins",
                        .value = '"' + change.layer + '"',
                        .allowed = "changes of layers that choose, not of those that follow them"});
    }
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
  const CostGraph& graph = priced.graph_of(plan_.prediction.margins_sum, plan_.ranks);
  std::vector<double> sums_s;
  for (const Assignment& assignment : assignments_) {
    sums_s.push_back(total_cost(graph, assignment));
  }
  return sums_s;
}

}  // namespace cnnplan
