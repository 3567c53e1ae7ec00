// Folds branches that hang on a path by one unit into the costs of that unit.
#pragma once

#include <vector>

#include "planner/search/graph/cost_graph.hpp"

namespace cnnplan {

// Returns `costs` with the branches that hang on `path` added to its units. Only units with
// free[unit] take part, and edges to other units are ignored. A free unit outside of the path that
// has only one free neighbour is folded into this neighbour, which may then be folded, too. Each
// candidate of the neighbour gets the least cost that the branch has with it. The result is exact
// for trees.
UnitCosts fold_branches(const CostGraph& graph,
                        const UnitCosts& costs,
                        const std::vector<bool>& free,
                        const std::vector<int>& path);

}  // namespace cnnplan
