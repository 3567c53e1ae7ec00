// Fills the search problem with prices of lowered operations.
#pragma once

#include <vector>

#include "planner/model/plan.hpp"
#include "planner/predict/price.hpp"
#include "planner/search/cost_graph.hpp"
#include "planner/search/search_units.hpp"

namespace cnnplan {

// One search unit with the meshes it may take.
struct PricedUnit {
  SearchUnit unit;
  std::vector<Mesh> meshes;
};

struct PricedNetwork {
  std::vector<PricedUnit> units;
  CostGraph graph;          // units and edges in the same order; seconds per step
  std::int64_t pruned = 0;  // factorisations that would leave ranks without work
};

// The cost of a unit on a mesh is the sum over its kernels, statistics and gradient reductions;
// that of an edge is the transfer forward and back. Both on the slowest of a few ranks: the first,
// the last and one in the middle, which hold the largest, the smallest and the most surrounded
// blocks. `plan` gives network, ranks, batch and options; its meshes do not matter.
PricedNetwork price_network(const Plan& plan, const PriceList& prices);

}  // namespace cnnplan
