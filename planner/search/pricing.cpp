// Units from the costs of their layers, then edges for the candidates that remain.
#include "planner/search/pricing.hpp"

#include <algorithm>

#include "planner/search/elimination.hpp"
#include "planner/search/mesh_costs.hpp"
#include "planner/search/sample_ranks.hpp"
#include "planner/search/step_limit.hpp"
#include "planner/search/unit_edges.hpp"

namespace cnnplan {
namespace {

double sum_over(const SearchUnit& unit, const LayerCosts& costs) {
  double sum = 0.0;
  for (LayerIndex layer : unit.layers) sum += costs[static_cast<std::size_t>(layer)];
  return sum;
}

// `kept` and `again`: of all meshes, with nothing and with everything computed again.
void add_unit_costs(const CostsByMesh& kept, const CostsByMesh& again, PricedNetwork& priced) {
  for (const UnitMeshes& choice : priced.choices.units) {
    priced.graph.units.emplace_back();
    priced.kept_bytes.units.emplace_back();
    for (CostGraph& least : priced.least) least.units.emplace_back();
    for (std::size_t i = 0; i < choice.meshes.size(); ++i) {
      const MeshCosts& costs = (choice.recomputes(i) ? again : kept).at(choice.meshes[i]);
      priced.graph.units.back().push_back(sum_over(choice.unit, costs.slowest));
      priced.kept_bytes.units.back().push_back(sum_over(choice.unit, costs.kept_bytes));
      for (std::size_t rank = 0; rank < priced.least.size(); ++rank) {
        priced.least[rank].units.back().push_back(sum_over(choice.unit, costs.least[rank]));
      }
    }
  }
}

struct UnitCostsByMesh {
  const CostsByMesh& kept;
  const CostsByMesh& again;
};

PricedNetwork price_choices(const Plan& plan,
                            const PriceList& prices,
                            const MeshChoices& choices,
                            const UnitCostsByMesh& costs,
                            double limit_s) {
  PricedNetwork priced{.choices = choices, .graph = {}, .kept_bytes = {}, .least = {}};
  priced.least.resize(sample_ranks(plan.ranks).size());
  priced.updates_s = updates_s(plan, prices);
  add_unit_costs(costs.kept, costs.again, priced);
  leave_out_above(limit_s, priced);
  add_edges(plan, prices, spare_within(limit_s, priced), priced);
  return priced;
}

}  // namespace

PricedNetwork price_network(const Plan& plan, const PriceList& prices, double limit_s) {
  const MeshChoices choices = mesh_choices(plan);
  const CostsByMesh costs = costs_by_mesh(plan, choices, prices);
  return price_choices(plan, prices, choices, {costs, costs}, limit_s);
}

PricedNetwork price_network_with_recompute(const Plan& plan,
                                           const PriceList& prices,
                                           double limit_s) {
  const MeshChoices choices = mesh_choices_with_recompute(plan);
  const CostsByMesh kept = costs_by_mesh(plan, choices, prices);
  const CostsByMesh again = costs_by_mesh(recomputed(plan), choices, prices);
  return price_choices(plan, prices, choices, {kept, again}, limit_s);
}

double least_step_s(const PricedNetwork& priced) {
  double slowest = 0.0;
  for (const CostGraph& graph : priced.least) slowest = std::max(slowest, lower_bound(graph));
  return slowest + priced.updates_s;
}

}  // namespace cnnplan
