// Looks at the chains, the layers and the nodes of a plan.
#include "planner/plan/plan_queries.hpp"

#include <algorithm>

#include "planner/tensor/equal_nodes.hpp"

namespace cnnplan {

bool is_by_multigrid(const Plan& plan, LayerIndex layer) {
  return std::any_of(plan.multigrid.begin(), plan.multigrid.end(), [&](const Multigrid& chain) {
    return chain.first <= layer && layer <= chain.last;
  });
}

bool may_gather(const Plan& plan, LayerIndex layer) {
  return has_equal_nodes(plan.ranks, plan.ranks_per_node) &&
         plan.layers[layer].halo == HaloMethod::exchange_first &&
         plan.network.inputs_of(layer).size() == 1;
}

int ranks_on_a_node(const Plan& plan) {
  return std::min(plan.ranks, plan.ranks_per_node);
}

}  // namespace cnnplan
