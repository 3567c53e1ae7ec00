// Folds branches that hang on a path by one unit into the costs of that unit.
#pragma once

#include <vector>

#include "planner/search/graph/cost_graph.hpp"

namespace cnnplan {

// `costs`, with every free unit outside `path` that has one free neighbour left added to that
// neighbour: for each of its candidates the least that the branch then costs. Exact for trees.
// Edges to units that are not free are ignored.
UnitCosts fold_branches(const CostGraph& graph,
                        const UnitCosts& costs,
                        const std::vector<bool>& free,
                        const std::vector<int>& path);

}  // namespace cnnplan
