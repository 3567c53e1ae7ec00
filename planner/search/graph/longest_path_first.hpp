// Assignment of a network with branches, one path at a time.
// Source: Dryden et al. 2019, section V-C.
#pragma once

#include "planner/search/graph/cost_graph.hpp"

namespace cnnplan {

// The longest path is solved as a line, its units are fixed, and the next longest path through
// units that are not yet fixed follows, until none is left. "Longest" is the heaviest by the
// cheapest candidate of each unit, as the heaviest path is to keep the widest choice; of equal
// weights the one with more units. Edges to fixed units count for what they cost; edges between two
// units of a path that are not neighbours on it are left out of its solution, as in the paper. A
// branch that hangs on a path by one unit is folded into that unit first (branch_folding): lines
// and trees are optimal, other networks need not be.
// @pre check(graph) passes
Assignment longest_path_first(const CostGraph& graph);

// The first path of longest_path_first among units with free[unit], in topological order.
// @pre at least one unit is free
std::vector<int> longest_path(const CostGraph& graph, const std::vector<bool>& free);

}  // namespace cnnplan
