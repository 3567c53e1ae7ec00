// Best assignment of a line of units by Boost.Graph, edge by edge: what `--search shortest_path`
// runs.
#pragma once

#include "planner/search/graph/cost_graph.hpp"

namespace cnnplan {

// What shortest_path finds, of equal paths the same. @pre is_line(graph), with one unit or more
Assignment shortest_path_of_vertices(const CostGraph& graph);

}  // namespace cnnplan
