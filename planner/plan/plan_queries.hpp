// Answers questions about a plan that several folders ask.
#pragma once

#include "planner/plan/plan.hpp"

namespace cnnplan {

// True where the layer belongs to a chain that multigrid runs.
bool is_by_multigrid(const Plan& plan, LayerIndex layer);

// True where a plan file may let the layer gather its input node by node: it has one input, its
// halo is `exchange_first`, and the ranks fill several nodes of equal size.
bool may_gather(const Plan& plan, LayerIndex layer);

// Returns how many ranks of the plan share a node, at most.
int ranks_on_a_node(const Plan& plan);

}  // namespace cnnplan
