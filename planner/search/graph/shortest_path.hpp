// Finds the best assignment of a line of units as a single-source shortest path.
// Source: Dryden et al. 2019, section V-C.
#pragma once

#include "planner/search/graph/cost_graph.hpp"

namespace cnnplan {

// Returns an optimum, in time linear in the number of candidate pairs. Among equally good
// candidates, it need not take the earliest, but equal graphs give equal answers.
// @pre check(graph) passes, is_line(graph)
Assignment shortest_path(const CostGraph& graph);

}  // namespace cnnplan
