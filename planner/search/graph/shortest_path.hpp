// Finds the best assignment of a line of units as a single-source shortest path.
// Source: Dryden et al. 2019, section V-C.
#pragma once

#include "planner/search/graph/cost_graph.hpp"

namespace cnnplan {

// Returns an assignment of least cost, in time linear in the number of candidate pairs. Of several
// such assignments, any one may be returned, but equal graphs give equal answers.
// @pre check(graph) passes, is_line(graph)
Assignment shortest_path(const CostGraph& graph);

}  // namespace cnnplan
