// Folds branches that hang on a path by one unit into the costs of that unit.
#pragma once

#include <vector>

#include "planner/search/graph/cost_graph.hpp"

namespace cnnplan {

// Returns `costs` with every free unit outside `path` that has one free neighbour added to this
// neighbour. Each of the neighbour's candidates gets the least that the branch then costs. The
// result is exact for trees. Edges to units that are not free are ignored.
UnitCosts fold_branches(const CostGraph& graph,
                        const UnitCosts& costs,
                        const std::vector<bool>& free,
                        const std::vector<int>& path);

}  // namespace cnnplan
