// Makes random cost graphs, and finds the best assignment by trying all of them.
#pragma once

#include <random>
#include <span>
#include <string>

#include "planner/search/graph/cost_graph.hpp"

namespace cnnplan {

struct GraphSize {
  int units = 1;
  int most_candidates = 1;
  int least_candidates = 1;
};

// Joins every unit to the next one.
CostGraph random_line(std::mt19937& random, const GraphSize& size);
// Joins every unit except the first to one random earlier unit.
CostGraph random_tree(std::mt19937& random, const GraphSize& size);
// Makes a line, and adds as many random edges as it has units. Some pairs get several edges.
CostGraph random_branches(std::mt19937& random, const GraphSize& size);

// Makes a line of blocks of `inner` units, with an edge around each block.
CostGraph random_residual(std::mt19937& random, const GraphSize& size, int inner);
// Makes modules of `branches` branches of one or two units. The last unit of the last branch is the
// concat, which reads the other branches.
CostGraph random_inception(std::mt19937& random, const GraphSize& size, int branches);
// Joins units on the way down to units on the way up: the first to the last, and so on inwards.
CostGraph random_u_net(std::mt19937& random, const GraphSize& size);

struct GraphShape {
  std::string name;
  CostGraph (*graph)(std::mt19937& random, const GraphSize& size);
};

// All of the above but random_branches: what eliminate() solves.
std::span<const GraphShape> graph_shapes();

// Whole bytes for every price of `graph`: more where it takes less time, as in life, and at random.
CostGraph random_bytes(std::mt19937& random, const CostGraph& graph);

// @pre few enough units and candidates
Assignment brute_force(const CostGraph& graph);

}  // namespace cnnplan
