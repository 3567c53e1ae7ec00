// Makes random cost graphs with costs from 0 to 1.
#include "tests/planner/search/graph/random_graph.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace cnnplan {
namespace {

int draw(std::mt19937& random, int low, int high) {
  return std::uniform_int_distribution<int>(low, high)(random);
}

double draw_cost(std::mt19937& random) {
  return std::uniform_real_distribution<double>(0.0, 1.0)(random);
}

CostGraph random_units(std::mt19937& random, const GraphSize& size) {
  CostGraph graph;
  for (int unit = 0; unit < size.units; ++unit) {
    const int candidates = draw(random, size.least_candidates, size.most_candidates);
    std::vector<double> costs(candidates);
    for (double& cost : costs) cost = draw_cost(random);
    graph.units.push_back(costs);
  }
  return graph;
}

void add_edge(std::mt19937& random, CostGraph& graph, int from, int to) {
  CostMatrix costs(graph.candidate_count(from), graph.candidate_count(to));
  for (int row = 0; row < costs.rows(); ++row) {
    for (int column = 0; column < costs.columns(); ++column) {
      costs(row, column) = draw_cost(random);
    }
  }
  graph.edges.push_back({from, to, costs});
}

// Sets the next assignment, counting up. False after the last one.
bool advance(const CostGraph& graph, Assignment& assignment) {
  for (std::size_t unit = 0; unit < assignment.size(); ++unit) {
    if (++assignment[unit] < graph.candidate_count(static_cast<int>(unit))) return true;
    assignment[unit] = 0;
  }
  return false;
}

}  // namespace

CostGraph random_line(std::mt19937& random, const GraphSize& size) {
  CostGraph graph = random_units(random, size);
  for (int unit = 1; unit < size.units; ++unit) add_edge(random, graph, unit - 1, unit);
  return graph;
}

CostGraph random_tree(std::mt19937& random, const GraphSize& size) {
  CostGraph graph = random_units(random, size);
  for (int unit = 1; unit < size.units; ++unit) {
    add_edge(random, graph, draw(random, 0, unit - 1), unit);
  }
  return graph;
}

CostGraph random_branches(std::mt19937& random, const GraphSize& size) {
  CostGraph graph = random_line(random, size);
  for (int extra = 0; extra < size.units && size.units > 1; ++extra) {
    const int to = draw(random, 1, size.units - 1);
    add_edge(random, graph, draw(random, 0, to - 1), to);
  }
  return graph;
}

CostGraph random_residual(std::mt19937& random, const GraphSize& size, int inner) {
  CostGraph graph = random_line(random, size);
  for (int from = 0; from + inner < size.units; from += inner) {
    add_edge(random, graph, from, from + inner);
  }
  return graph;
}

CostGraph random_inception(std::mt19937& random, const GraphSize& size, int branches) {
  CostGraph graph = random_units(random, size);
  int input = 0;
  while (input + 2 * branches < size.units) {
    std::vector<int> ends;
    int unit = input;
    for (int branch = 0; branch < branches; ++branch) {
      add_edge(random, graph, input, ++unit);
      if (draw(random, 1, 2) == 2) {
        add_edge(random, graph, unit, unit + 1);
        ++unit;
      }
      ends.push_back(unit);
    }
    for (int end : ends) {
      if (end != unit) add_edge(random, graph, end, unit);
    }
    input = unit;
  }
  for (int unit = input + 1; unit < size.units; ++unit) add_edge(random, graph, unit - 1, unit);
  return graph;
}

CostGraph random_u_net(std::mt19937& random, const GraphSize& size) {
  CostGraph graph = random_line(random, size);
  for (int down = 0; down + 1 < size.units - 1 - down; ++down) {
    add_edge(random, graph, down, size.units - 1 - down);
  }
  return graph;
}

std::span<const GraphShape> graph_shapes() {
  using Random = std::mt19937;
  using Size = GraphSize;
  static const GraphShape shapes[] = {
      {"line", random_line},
      {"tree", random_tree},
      {"line, two edges each", [](Random& r, const Size& s) { return random_residual(r, s, 1); }},
      {"residual, 2 units", [](Random& r, const Size& s) { return random_residual(r, s, 2); }},
      {"residual, 3 units", [](Random& r, const Size& s) { return random_residual(r, s, 3); }},
      {"inception, 3 branches", [](Random& r, const Size& s) { return random_inception(r, s, 3); }},
      {"inception, 4 branches", [](Random& r, const Size& s) { return random_inception(r, s, 4); }},
      {"u-net", random_u_net},
  };
  return shapes;
}

CostGraph random_bytes(std::mt19937& random, const CostGraph& graph) {
  const auto bytes_of = [&](double seconds) {
    return std::floor(1000 * (draw_cost(random) + std::max(0.0, 1.0 - seconds)));
  };
  CostGraph bytes = graph;
  for (std::vector<double>& candidates : bytes.units) {
    for (double& value : candidates) value = bytes_of(value);
  }
  for (CostEdge& edge : bytes.edges) {
    CostMatrix costs = edge.costs.matrix();
    for (int row = 0; row < costs.rows(); ++row) {
      for (double& cost : costs.row(row)) cost = bytes_of(cost);
    }
    edge.costs = std::move(costs);
  }
  return bytes;
}

Assignment brute_force(const CostGraph& graph) {
  Assignment assignment(graph.units.size(), 0);
  Assignment best = assignment;
  double least = std::numeric_limits<double>::infinity();
  do {
    const double cost = total_cost(graph, assignment);
    if (cost < least) {
      least = cost;
      best = assignment;
    }
  } while (advance(graph, assignment));
  return best;
}

}  // namespace cnnplan
