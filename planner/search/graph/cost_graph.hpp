// Holds the search problem without its meaning: the costs of candidates and of their pairs.
#pragma once

#include <compare>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace cnnplan {

// Holds the costs of every pair of candidates of two units.
class CostMatrix {
 public:
  CostMatrix() = default;
  CostMatrix(int rows, int columns, double cost = 0.0)
      : columns_(columns), costs_(rows * columns_, cost) {}

  int rows() const { return columns_ == 0 ? 0 : static_cast<int>(costs_.size() / columns_); }
  int columns() const { return static_cast<int>(columns_); }
  double operator()(int row, int column) const { return costs_[index(row, column)]; }
  double& operator()(int row, int column) { return costs_[index(row, column)]; }
  // Returns all costs, row by row.
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

// Shares a constant matrix among many edges, because long networks repeat a few pairs of layers.
class SharedCosts {
 public:
  SharedCosts() : SharedCosts(CostMatrix()) {}
  // NOLINTNEXTLINE(google-explicit-constructor): the matrix of a single edge converts, too
  SharedCosts(CostMatrix costs) : costs_(std::make_shared<const CostMatrix>(std::move(costs))) {}

  // Copies return the same address. Equal matrices that were made apart do not.
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

// Holds the cost of every candidate of every unit.
using UnitCosts = std::vector<std::vector<double>>;

// Holds the costs of the pairs of two units. Rows are the candidates of `from`, columns the
// candidates of `to`. The direction does not say which unit reads the tensor of the other.
struct CostEdge {
  int from = 0;  // below `to`
  int to = 0;
  SharedCosts costs;

  // Returns the unit at the other end. @pre the edge has this unit
  int other(int unit) const { return unit == from ? to : from; }
  // Returns the pair's cost, seen from either end.
  double cost(int unit, int candidate, int other_candidate) const {
    return unit == from ? costs(candidate, other_candidate) : costs(other_candidate, candidate);
  }
  bool operator==(const CostEdge&) const = default;
};

// Units have a fixed order, and each has the costs of its candidates. A candidate that must not be
// chosen is left out. Edges lead from lower to higher numbers, so that every path visits units in
// order. Two units may share several edges.
struct CostGraph {
  std::vector<std::vector<double>> units;  // costs by unit and candidate
  std::vector<CostEdge> edges;

  int unit_count() const { return static_cast<int>(units.size()); }
  int candidate_count(int unit) const { return static_cast<int>(units.at(unit).size()); }
  bool operator==(const CostGraph&) const = default;
};

// Returns the costs of these rows and columns, in this order. A row or column may be repeated.
CostMatrix selected(const CostMatrix& costs,
                    const std::vector<int>& rows,
                    const std::vector<int>& columns);

// Returns the matrix with rows and columns exchanged.
CostMatrix transposed(const CostMatrix& costs);
// Returns the sums of the costs at equal places.
// @pre both have equal numbers of rows, and of columns
SharedCosts sum_of(const SharedCosts& a, const SharedCosts& b);

// Holds the index of the chosen candidate of every unit.
using Assignment = std::vector<int>;

// Names a candidate of a unit.
struct Choice {
  int unit = 0;
  int candidate = 0;
  auto operator<=>(const Choice&) const = default;
};
// Lists the candidates that replace those of an assignment, one for each changed unit.
using Change = std::vector<Choice>;
// Holds the choices of two units.
struct ChoicePair {
  Choice first;
  Choice second;
};

// @throws logic_error unless every unit has a candidate, every edge leads from a lower to a higher
// unit with a matrix of their sizes, and all costs are finite.
void check(const CostGraph& graph);
// Adds up the costs of the chosen candidates and of all their pairs.
// @pre there is one valid candidate per unit
double total_cost(const CostGraph& graph, const Assignment& assignment);
// True when every edge joins a unit and the next one.
bool is_line(const CostGraph& graph);
// Returns by unit the indices of its edges, in both directions.
std::vector<std::vector<int>> edges_by_unit(const CostGraph& graph);

}  // namespace cnnplan
