// Repeats three steps: finds the heaviest path, solves it, and fixes its units.
#include "planner/search/graph/longest_path_first.hpp"

#include <algorithm>
#include <compare>
#include <cstddef>

#include "planner/search/graph/branch_folding.hpp"
#include "planner/search/graph/shortest_path.hpp"

namespace cnnplan {
namespace {

// Describes the best path that ends at a unit.
struct PathEnd {
  double weight = 0.0;
  int units = 0;
  int previous = -1;

  bool longer_than(const PathEnd& other) const {
    return weight != other.weight ? weight > other.weight : units > other.units;
  }
};

// Returns the units of `path` with `costs`, and the edges between neighbours on the path.
CostGraph line_of(const CostGraph& graph, const UnitCosts& costs, const std::vector<int>& path) {
  std::vector<int> position(graph.units.size(), -1);
  CostGraph line;
  for (int unit : path) {
    position[unit] = line.unit_count();
    line.units.push_back(costs[unit]);
  }
  for (const CostEdge& edge : graph.edges) {
    const int from = position[edge.from];
    if (from == -1 || position[edge.to] != from + 1) continue;
    line.edges.push_back({from, from + 1, edge.costs});
  }
  return line;
}

// Adds to every free neighbour the costs of its edges to `unit`, which is fixed now.
void add_fixed_edges(const CostGraph& graph,
                     const std::vector<int>& edges_of_unit,
                     int unit,
                     int candidate,
                     UnitCosts& costs) {
  for (int number : edges_of_unit) {
    const CostEdge& edge = graph.edges[number];
    std::vector<double>& target = costs[edge.other(unit)];
    for (std::size_t c = 0; c < target.size(); ++c) {
      target[c] += edge.cost(unit, candidate, static_cast<int>(c));
    }
  }
}

}  // namespace

std::vector<int> longest_path(const CostGraph& graph, const std::vector<bool>& free) {
  std::vector<std::vector<int>> earlier(graph.units.size());
  for (const CostEdge& edge : graph.edges) earlier[edge.to].push_back(edge.from);
  std::vector<PathEnd> ends(graph.units.size());
  int last = -1;
  for (int unit = 0; unit < graph.unit_count(); ++unit) {
    if (!free[unit]) continue;
    PathEnd best;
    for (int from : earlier[unit]) {
      const PathEnd through{ends[from].weight, ends[from].units, from};
      if (free[from] && through.longer_than(best)) best = through;
    }
    best.weight += *std::min_element(graph.units[unit].begin(), graph.units[unit].end());
    best.units += 1;
    ends[unit] = best;
    if (last == -1 || best.longer_than(ends[last])) last = unit;
  }
  std::vector<int> path;
  for (int unit = last; unit != -1; unit = ends[unit].previous) path.push_back(unit);
  std::reverse(path.begin(), path.end());
  return path;
}

Assignment longest_path_first(const CostGraph& graph) {
  check(graph);
  const std::vector<std::vector<int>> edges = edges_by_unit(graph);
  UnitCosts costs = graph.units;
  std::vector<bool> free(graph.units.size(), true);
  Assignment assignment(graph.units.size(), -1);
  while (std::find(free.begin(), free.end(), true) != free.end()) {
    const std::vector<int> path = longest_path(graph, free);
    const Assignment choices =
        shortest_path(line_of(graph, fold_branches(graph, costs, free, path), path));
    for (std::size_t i = 0; i < path.size(); ++i) {
      assignment[path[i]] = choices[i];
      free[path[i]] = false;
    }
    for (std::size_t i = 0; i < path.size(); ++i) {
      add_fixed_edges(graph, edges[path[i]], path[i], choices[i], costs);
    }
  }
  return assignment;
}

}  // namespace cnnplan
