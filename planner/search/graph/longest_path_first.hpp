// Finds an assignment of a network with branches, one path at a time.
// Source: Dryden et al. 2019, section V-C.
#pragma once

#include "planner/search/graph/cost_graph.hpp"

namespace cnnplan {

// Returns an assignment that need not be the cheapest. It solves the longest path as a line, fixes
// its units, and goes on with the longest path through units that are not fixed, until none is
// left. The longest path is the heaviest by the cheapest candidate of each unit, because the
// heaviest path should have the widest choice. Among equal weights, the path with more units counts
// as longer. Edges to fixed units have their exact costs. Edges between two units of a path that
// are not neighbours on it are left out of its solution, as in the paper. A branch that is
// connected to a path by one unit is folded into this unit first (branch_folding). Lines and trees
// are thus solved exactly, other networks need not be.
// @pre check(graph) passes
Assignment longest_path_first(const CostGraph& graph);

// Returns the path that longest_path_first takes first among units with free[unit], in topological
// order. @pre at least one unit is free
std::vector<int> longest_path(const CostGraph& graph, const std::vector<bool>& free);

}  // namespace cnnplan
