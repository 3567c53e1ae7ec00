// Random cost graphs, and the best assignment by trying all of them.
#pragma once

#include <random>

#include "planner/search/cost_graph.hpp"

namespace cnnplan {

struct GraphSize {
  int units = 1;
  int most_candidates = 1;
};

// Every unit joined to the next one.
CostGraph random_line(std::mt19937& random, const GraphSize& size);
// Every unit but the first joined to one random earlier unit.
CostGraph random_tree(std::mt19937& random, const GraphSize& size);
// A line with as many more random edges as it has units; some pairs get several.
CostGraph random_branches(std::mt19937& random, const GraphSize& size);

// @pre few enough units and candidates
Assignment brute_force(const CostGraph& graph);

}  // namespace cnnplan
