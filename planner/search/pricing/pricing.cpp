// Prices units by the costs of their layers, then edges for the candidates that remain.
#include "planner/search/pricing/pricing.hpp"

#include <algorithm>
#include <string>

#include "planner/base/error.hpp"
#include "planner/search/pricing/probe_ranks.hpp"
#include "planner/search/pricing/split_costs.hpp"
#include "planner/search/pricing/step_limit.hpp"

namespace cnnplan {
namespace {

double sum_over(const SearchUnit& unit, const LayerCosts& costs) {
  double sum = 0.0;
  for (LayerIndex layer : unit.layers) sum += costs[layer];
  return sum;
}

// `kept` has the costs of all splits where nothing is computed again, `again` where everything is.
void add_unit_costs(const CostsBySplit& kept, const CostsBySplit& again, PricedNetwork& priced) {
  for (const UnitSplits& choice : priced.choices.units) {
    priced.graph.units.emplace_back();
    priced.kept_bytes.units.emplace_back();
    for (CostGraph& least : priced.least) least.units.emplace_back();
    for (std::size_t i = 0; i < choice.splits.size(); ++i) {
      const SplitCosts& costs = (choice.recomputes(i) ? again : kept).at(choice.splits[i]);
      priced.graph.units.back().push_back(sum_over(choice.unit, costs.slowest));
      priced.kept_bytes.units.back().push_back(sum_over(choice.unit, costs.kept_bytes));
      for (std::size_t rank = 0; rank < priced.least.size(); ++rank) {
        priced.least[rank].units.back().push_back(sum_over(choice.unit, costs.least[rank]));
      }
    }
  }
}

// Returns the costs of all splits with everything computed again, or nothing where no unit may
// compute again.
CostsBySplit costs_again(const Plan& plan, const SplitChoices& choices, const PriceList& prices) {
  const bool may_recompute =
      std::any_of(choices.units.begin(), choices.units.end(), [](const UnitSplits& unit) {
        return !unit.recompute.empty();
      });
  return may_recompute ? costs_by_split(recomputed(plan), choices, prices) : CostsBySplit{};
}

}  // namespace

const CostGraph& PricedNetwork::graph_of(const OperationSum& sum, int ranks) const {
  if (sum.rank < 0) return graph;
  const std::vector<int> probes = probe_ranks(ranks);
  const auto found = std::find(probes.begin(), probes.end(), sum.rank);
  if (found == probes.end()) {
    throw InputError({.file = "",
                      .pointer = "/prediction/margins_rank",
                      .value = std::to_string(sum.rank),
                      .allowed = "0, the rank in the middle or the last one"});
  }
  return least.at(found - probes.begin());
}

NetworkPricing::NetworkPricing(const Plan& plan,
                               const SplitChoices& choices,
                               const PriceList& prices,
                               double limit_s)
    : uniform_(all_on(plan, {.mesh = Mesh({{Axis::r, plan.ranks}})})),
      fused_(uniform_),
      priced_{.choices = choices, .graph = {}, .kept_bytes = {}, .least = {}} {
  priced_.least.resize(probe_ranks(plan.ranks).size());
  priced_.updates_s = updates_s(plan, choices, prices);
  add_unit_costs(
      costs_by_split(plan, choices, prices), costs_again(plan, choices, prices), priced_);
  leave_out_above(limit_s, priced_);
  edges_.emplace(fused_, prices, spare_within(limit_s, priced_), priced_);
}

std::size_t NetworkPricing::price(const Assignment& assignment,
                                  const std::vector<ChoicePair>& choices,
                                  std::size_t neighbours) {
  return edges_->price(assignment, choices, neighbours, priced_);
}

const PricedNetwork& NetworkPricing::price_all() {
  edges_->price_all(priced_);
  return priced_;
}

PricedNetwork price_network(const Plan& plan,
                            const SplitChoices& choices,
                            const PriceList& prices,
                            double limit_s) {
  return NetworkPricing(plan, choices, prices, limit_s).price_all();
}

}  // namespace cnnplan
