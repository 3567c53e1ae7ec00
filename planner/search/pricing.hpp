// Fills the search problem with prices of lowered operations.
#pragma once

#include "planner/model/plan.hpp"
#include "planner/predict/price.hpp"
#include "planner/search/cost_graph.hpp"
#include "planner/search/unit_meshes.hpp"

namespace cnnplan {

struct PricedNetwork {
  MeshChoices choices;
  CostGraph graph;  // units and edges in the order of the choices; seconds per step
};

// The cost of a unit on a mesh is the sum over its kernels, statistics and gradient reductions;
// that of an edge is the transfer forward and back. Both on the slowest of a few ranks: the first,
// the last and one in the middle, which hold the largest, the smallest and the most surrounded
// blocks. `plan` gives network, ranks, batch and options; its meshes do not matter.
PricedNetwork price_network(const Plan& plan, const PriceList& prices);

}  // namespace cnnplan
