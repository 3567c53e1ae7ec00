// Folds leaves into their neighbours, the outermost leaves first.
#include "planner/search/graph/branch_folding.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>

namespace cnnplan {
namespace {

class Folding {
 public:
  Folding(const CostGraph& graph, const UnitCosts& costs, const std::vector<bool>& free)
      : graph_(graph), edges_(edges_by_unit(graph)), costs_(costs), open_(free) {}

  // Returns the only open neighbour of `unit`, or -1 when there are none or several.
  int only_neighbour(int unit) const {
    int found = -1;
    for (int edge : edges_[unit]) {
      const int other = graph_.edges[edge].other(unit);
      if (!open_[other] || other == found) continue;
      if (found != -1) return -1;
      found = other;
    }
    return found;
  }

  // Adds the best of `unit` to every candidate of `neighbour` and closes it.
  void fold(int unit, int neighbour) {
    std::vector<double>& target = costs_[neighbour];
    for (std::size_t candidate = 0; candidate < target.size(); ++candidate) {
      target[candidate] += best(unit, neighbour, static_cast<int>(candidate));
    }
    open_[unit] = false;
  }

  bool open(int unit) const { return open_[unit]; }
  UnitCosts take_costs() { return std::move(costs_); }

 private:
  double best(int unit, int neighbour, int neighbour_candidate) const {
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t candidate = 0; candidate < costs_[unit].size(); ++candidate) {
      double cost = costs_[unit][candidate];
      for (int number : edges_[unit]) {
        const CostEdge& edge = graph_.edges[number];
        if (edge.other(unit) != neighbour) continue;
        cost += edge.cost(unit, static_cast<int>(candidate), neighbour_candidate);
      }
      least = std::min(least, cost);
    }
    return least;
  }

  const CostGraph& graph_;
  std::vector<std::vector<int>> edges_;
  UnitCosts costs_;
  std::vector<bool> open_;
};

}  // namespace

UnitCosts fold_branches(const CostGraph& graph,
                        const UnitCosts& costs,
                        const std::vector<bool>& free,
                        const std::vector<int>& path) {
  std::vector<bool> on_path(graph.units.size(), false);
  for (int unit : path) on_path[unit] = true;
  Folding folding(graph, costs, free);
  for (int start = 0; start < graph.unit_count(); ++start) {
    // Folding a leaf may leave its neighbour with one neighbour. The branch goes on there.
    int unit = start;
    while (unit != -1 && folding.open(unit) && !on_path[unit]) {
      const int neighbour = folding.only_neighbour(unit);
      if (neighbour != -1) folding.fold(unit, neighbour);
      unit = neighbour;
    }
  }
  return folding.take_costs();
}

}  // namespace cnnplan
