// How far longest_path_first lies above the optimum of the additive cost, for
// scripts/studies/longest-path-gap: lines of values, separated by tabs.
//
// Without arguments, random graphs: shape, weight of pairs, mean loss, largest loss, share of those
// that lose over 5 %. With PLATFORM RANKS SAMPLES NETWORK..., SAMPLES per rank: network, cost of
// the longest path first, optimum, units.
#include <algorithm>
#include <iostream>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "planner/network/network.hpp"
#include "planner/search/graph/elimination.hpp"
#include "planner/search/graph/longest_path_first.hpp"
#include "planner/search/pricing/pricing.hpp"
#include "tests/planner/search/each_network.hpp"
#include "tests/planner/search/graph/random_graph.hpp"

namespace cnnplan {
namespace {

double loss_of(const CostGraph& graph) {
  return total_cost(graph, longest_path_first(graph)) / eliminate(graph).bound - 1.0;
}

void weigh_pairs(double weight, CostGraph& graph) {
  for (CostEdge& edge : graph.edges) {
    CostMatrix costs = edge.costs.matrix();
    for (int row = 0; row < costs.rows(); ++row) {
      for (double& cost : costs.row(row)) cost *= weight;
    }
    edge.costs = std::move(costs);
  }
}

void random_graphs(const GraphShape& shape, double weight) {
  constexpr int rounds = 300;
  constexpr double much = 0.05;
  std::mt19937 random(31);
  double sum = 0.0;
  double largest = 0.0;
  int losing = 0;
  for (int round = 0; round < rounds; ++round) {
    const int units = 10 + round % 31;
    CostGraph graph =
        shape.graph(random, {.units = units, .most_candidates = 8, .least_candidates = 3});
    weigh_pairs(weight, graph);
    const double loss = loss_of(graph);
    sum += loss;
    largest = std::max(largest, loss);
    if (loss > much) ++losing;
  }
  std::cout << shape.name << '\t' << weight << '\t' << sum / rounds << '\t' << largest << '\t'
            << static_cast<double>(losing) / rounds << '\n';
}

// Where units cannot be eliminated, a "-" stands before the lower bound.
void try_network(const NetworkCase& tried) {
  const Plan blank =
      uniform_plan(read_network(tried.file), tried.batch, Mesh({{Axis::r, tried.ranks}}));
  const KernelCosts kernels({}, tried.platform);
  const PricedNetwork priced =
      price_network(blank, split_choices(blank), PriceList(tried.platform, kernels));
  const double by_paths = total_cost(priced.graph, longest_path_first(priced.graph));
  const Elimination found = eliminate(priced.graph);
  std::cout << tried.file << '\t' << by_paths << '\t' << (found.optimum ? "" : "-") << found.bound
            << '\t' << priced.graph.unit_count() << '\n';
}

void run(std::span<char*> arguments) {
  if (arguments.size() < 4) {
    for (const GraphShape& shape : graph_shapes()) {
      for (double weight : {1.0, 0.1}) random_graphs(shape, weight);
    }
    return;
  }
  each_network(arguments, try_network);
}

}  // namespace
}  // namespace cnnplan

int main(int argc, char** argv) {
  std::cout.precision(9);
  cnnplan::run(std::span(argv, static_cast<std::size_t>(argc)).subspan(1));
}
