// Checks and sums over cost graphs.
#include "planner/search/graph/cost_graph.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>

#include "planner/search/graph/min_plus.hpp"

namespace cnnplan {
namespace {

void require(bool condition, const char* message) {
  if (!condition) throw std::logic_error(message);
}

bool all_finite(const std::vector<double>& costs) {
  return std::all_of(costs.begin(), costs.end(), [](double cost) { return std::isfinite(cost); });
}

}  // namespace

CostMatrix selected(const CostMatrix& costs,
                    const std::vector<int>& rows,
                    const std::vector<int>& columns) {
  CostMatrix result(static_cast<int>(rows.size()), static_cast<int>(columns.size()));
  for (int i = 0; i < result.rows(); ++i) {
    for (int j = 0; j < result.columns(); ++j) {
      result(i, j) = costs(rows[i], columns[j]);
    }
  }
  return result;
}

CostMatrix transposed(const CostMatrix& costs) {
  CostMatrix result(costs.columns(), costs.rows());
  for (int row = 0; row < costs.rows(); ++row) {
    for (int column = 0; column < costs.columns(); ++column) {
      result(column, row) = costs(row, column);
    }
  }
  return result;
}

SharedCosts sum_of(const SharedCosts& a, const SharedCosts& b) {
  CostMatrix sum = a.matrix();
  for (int row = 0; row < sum.rows(); ++row) add_rows(a.row(row), b.row(row), sum.row(row));
  return sum;
}

void check(const CostGraph& graph) {
  for (const std::vector<double>& unit : graph.units) {
    require(!unit.empty(), "a unit without candidates");
    require(all_finite(unit), "the cost of a candidate is not finite");
  }
  std::set<const CostMatrix*> finite;
  for (const CostEdge& edge : graph.edges) {
    require(0 <= edge.from && edge.from < edge.to && edge.to < graph.unit_count(),
            "an edge must lead from a lower unit to a higher one");
    require(edge.costs.rows() == graph.candidate_count(edge.from) &&
                edge.costs.columns() == graph.candidate_count(edge.to),
            "the matrix of an edge must have a row and a column per candidate");
    if (!finite.insert(&edge.costs.matrix()).second) continue;
    require(all_finite(edge.costs.values()), "the cost of an edge is not finite");
  }
}

double total_cost(const CostGraph& graph, const Assignment& assignment) {
  require(assignment.size() == graph.units.size(), "an assignment needs every unit");
  double cost = 0.0;
  for (std::size_t unit = 0; unit < assignment.size(); ++unit) {
    cost += graph.units[unit].at(assignment[unit]);
  }
  for (const CostEdge& edge : graph.edges) {
    cost += edge.costs(assignment[edge.from], assignment[edge.to]);
  }
  return cost;
}

bool is_line(const CostGraph& graph) {
  return std::all_of(graph.edges.begin(), graph.edges.end(), [](const CostEdge& edge) {
    return edge.from + 1 == edge.to;
  });
}

std::vector<std::vector<int>> edges_by_unit(const CostGraph& graph) {
  std::vector<std::vector<int>> edges(graph.units.size());
  for (std::size_t index = 0; index < graph.edges.size(); ++index) {
    const CostEdge& edge = graph.edges[index];
    edges[edge.from].push_back(static_cast<int>(index));
    edges[edge.to].push_back(static_cast<int>(index));
  }
  return edges;
}

}  // namespace cnnplan
