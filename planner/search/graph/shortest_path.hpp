// Best assignment of a line of units, as a single-source shortest path.
// Source: Dryden et al. 2019, section V-C.
#pragma once

#include "planner/search/graph/cost_graph.hpp"

namespace cnnplan {

// Optimal. Linear in the number of candidate pairs. Of equally good candidates an earlier one is
// not guaranteed, but the same graph gives the same answer.
// @pre check(graph) passes, is_line(graph)
Assignment shortest_path(const CostGraph& graph);

}  // namespace cnnplan
