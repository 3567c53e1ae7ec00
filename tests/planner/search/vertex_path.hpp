// The shortest path of a line of units by a library, edge by edge.
#pragma once

#include "planner/search/cost_graph.hpp"

namespace cnnplan {

// What shortest_path finds, of equal paths the same. @pre is_line(graph), with one unit or more
Assignment shortest_path_of_vertices(const CostGraph& graph);

}  // namespace cnnplan
