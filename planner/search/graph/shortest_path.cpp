// Finds the shortest path to every candidate, one unit after the other.
#include "planner/search/graph/shortest_path.hpp"

#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

namespace cnnplan {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// Returns for every unit except the last the costs of its pairs with the next unit.
std::vector<SharedCosts> shuffles_to_next(const CostGraph& graph) {
  std::vector<std::optional<SharedCosts>> sums(graph.units.size() - 1);
  for (const CostEdge& edge : graph.edges) {
    std::optional<SharedCosts>& sum = sums[edge.from];
    sum = sum ? sum_of(*sum, edge.costs) : edge.costs;
  }
  std::vector<SharedCosts> shuffles;
  for (int unit = 0; unit + 1 < graph.unit_count(); ++unit) {
    std::optional<SharedCosts>& sum = sums[unit];
    if (!sum) sum = CostMatrix(graph.candidate_count(unit), graph.candidate_count(unit + 1));
    shuffles.push_back(*std::move(sum));
  }
  return shuffles;
}

// Holds the shortest paths to the candidates of a unit, and the candidate before on each path.
struct Paths {
  std::vector<double> lengths;
  std::vector<int> previous;
};

// Adds a step of the weight Cost_Di(i) + Shuffle(Di, Dj) to all paths. Among equal paths, it takes
// the path over the last candidate.
Paths lengthened(const std::vector<double>& lengths,
                 const std::vector<double>& costs,
                 const SharedCosts& shuffles) {
  const std::size_t columns = shuffles.columns();
  Paths next{.lengths = std::vector<double>(columns, infinity),
             .previous = std::vector<int>(columns, 0)};
  for (int row = shuffles.rows() - 1; row >= 0; --row) {
    const std::span<const double> shuffle = shuffles.row(row);
    for (std::size_t column = 0; column < columns; ++column) {
      const double length = lengths[row] + (costs[row] + shuffle[column]);
      if (length >= next.lengths[column]) continue;
      next.lengths[column] = length;
      next.previous[column] = row;
    }
  }
  return next;
}

}  // namespace

// The path leads from a source to the candidates of the first unit, and from the candidates of the
// last unit to a sink.
Assignment shortest_path(const CostGraph& graph) {
  check(graph);
  if (!is_line(graph)) throw std::logic_error("shortest_path needs a line of units");
  if (graph.units.empty()) return {};
  std::vector<SharedCosts> shuffles = shuffles_to_next(graph);
  shuffles.emplace_back(CostMatrix(graph.candidate_count(graph.unit_count() - 1), 1));
  std::vector<double> lengths(graph.units.front().size(), 0.0);
  std::vector<std::vector<int>> previous;
  for (std::size_t unit = 0; unit < graph.units.size(); ++unit) {
    Paths next = lengthened(lengths, graph.units[unit], shuffles[unit]);
    lengths = std::move(next.lengths);
    previous.push_back(std::move(next.previous));
  }
  Assignment assignment(graph.units.size());
  int candidate = 0;
  for (std::size_t unit = graph.units.size(); unit-- > 0;) {
    candidate = previous[unit][candidate];
    assignment[unit] = candidate;
  }
  return assignment;
}

}  // namespace cnnplan
