// The search problem without its meaning: units, what each candidate costs, what each pair costs.
#pragma once

#include <compare>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace cnnplan {

// Costs of every pair of candidates of two units.
class CostMatrix {
 public:
  CostMatrix() = default;
  CostMatrix(int rows, int columns, double cost = 0.0)
      : columns_(columns), costs_(rows * columns_, cost) {}

  int rows() const { return columns_ == 0 ? 0 : static_cast<int>(costs_.size() / columns_); }
  int columns() const { return static_cast<int>(columns_); }
  double operator()(int row, int column) const { return costs_[index(row, column)]; }
  double& operator()(int row, int column) { return costs_[index(row, column)]; }
  const std::vector<double>& values() const { return costs_; }
  std::span<const double> row(int row) const {
    return std::span(costs_).subspan(index(row, 0), columns_);
  }
  std::span<double> row(int row) { return std::span(costs_).subspan(index(row, 0), columns_); }
  // Returns the place of a pair among the values.
  std::size_t index(int row, int column) const { return row * columns_ + column; }
  bool operator==(const CostMatrix&) const = default;

 private:
  std::size_t columns_ = 0;
  std::vector<double> costs_;
};

// A matrix that does not change, and that many edges may have in common: long networks repeat a few
// pairs of layers.
class SharedCosts {
 public:
  SharedCosts() : SharedCosts(CostMatrix()) {}
  // NOLINTNEXTLINE(google-explicit-constructor): a matrix of one edge is one, too
  SharedCosts(CostMatrix costs) : costs_(std::make_shared<const CostMatrix>(std::move(costs))) {}

  // The same address where it is the same matrix, not an equal one.
  const CostMatrix& matrix() const { return *costs_; }
  int rows() const { return costs_->rows(); }
  int columns() const { return costs_->columns(); }
  double operator()(int row, int column) const { return matrix()(row, column); }
  const std::vector<double>& values() const { return costs_->values(); }
  std::span<const double> row(int row) const { return matrix().row(row); }
  bool operator==(const SharedCosts& other) const {
    return costs_ == other.costs_ || matrix() == other.matrix();
  }

 private:
  std::shared_ptr<const CostMatrix> costs_;
};

// Cost of every candidate of every unit.
using UnitCosts = std::vector<std::vector<double>>;

// Rows are the candidates of `from`, columns those of `to`. The direction says nothing about who
// reads whose tensor: a pair costs what it costs.
struct CostEdge {
  int from = 0;
  int to = 0;
  SharedCosts costs;

  int other(int unit) const { return unit == from ? to : from; }
  // The pair's cost seen from either end.
  double cost(int unit, int candidate, int other_candidate) const {
    return unit == from ? costs(candidate, other_candidate) : costs(other_candidate, candidate);
  }
  bool operator==(const CostEdge&) const = default;
};

// Units in a fixed order, each with the cost of its candidates; a candidate that must not be chosen
// is left out. Edges lead from lower to higher numbers, so that every path visits units in order.
// Two units may share several edges.
struct CostGraph {
  std::vector<std::vector<double>> units;
  std::vector<CostEdge> edges;

  int unit_count() const { return static_cast<int>(units.size()); }
  int candidate_count(int unit) const { return static_cast<int>(units.at(unit).size()); }
  bool operator==(const CostGraph&) const = default;
};

// The costs of these rows and columns, in this order; one may stand there several times.
CostMatrix selected(const CostMatrix& costs,
                    const std::vector<int>& rows,
                    const std::vector<int>& columns);

// Rows as columns.
CostMatrix transposed(const CostMatrix& costs);
// @pre as many rows and columns
SharedCosts sum_of(const SharedCosts& a, const SharedCosts& b);

// Candidate of every unit.
using Assignment = std::vector<int>;

// Other candidates for some units of an assignment.
struct Choice {
  int unit = 0;
  int candidate = 0;
  auto operator<=>(const Choice&) const = default;
};
using Change = std::vector<Choice>;
// Of two units.
struct ChoicePair {
  Choice first;
  Choice second;
};

// @throws logic_error unless every unit has a candidate, every edge leads from a lower to a higher
// unit with a matrix of their sizes, and all costs are finite.
void check(const CostGraph& graph);
// Costs of the chosen candidates and of all their pairs. @pre one valid candidate per unit
double total_cost(const CostGraph& graph, const Assignment& assignment);
// True when every edge joins a unit and the next one.
bool is_line(const CostGraph& graph);
// Indices of the edges at every unit, in both directions.
std::vector<std::vector<int>> edges_by_unit(const CostGraph& graph);

}  // namespace cnnplan
