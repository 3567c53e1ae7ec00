// Finds the best assignment of a line of units by Boost.Graph, with a vertex for each candidate.
// The option `--search shortest_path` runs it.
#pragma once

#include "planner/search/graph/cost_graph.hpp"

namespace cnnplan {

// Returns an assignment of the same cost as shortest_path. @pre is_line(graph), with one unit or
// more
Assignment shortest_path_of_vertices(const CostGraph& graph);

}  // namespace cnnplan
