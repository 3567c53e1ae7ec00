// Min-sum elimination over unit costs and pair matrices.
#include "planner/search/elimination.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <initializer_list>
#include <limits>
#include <map>
#include <set>
#include <utility>

namespace cnnplan {
namespace {

class Eliminator {
 public:
  explicit Eliminator(const CostGraph& graph, bool keeps_costs)
      : keeps_costs_(keeps_costs), units_(graph.units), pairs_(graph.units.size()) {
    for (const CostEdge& edge : graph.edges) add_pair(edge.from, edge.to, edge.costs);
    for (int unit = 0; unit < graph.unit_count(); ++unit) remaining_.emplace(degree(unit), unit);
  }

  void run() {
    while (eliminate_next()) {
    }
  }

  bool complete() const { return remaining_.empty(); }

  double bound() const {
    double sum = constant_;
    for (const auto& [neighbours, unit] : remaining_) {
      sum += *std::min_element(units_[index(unit)].begin(), units_[index(unit)].end());
      for (const auto& [other, costs] : pairs_[index(unit)]) {
        if (other < unit) continue;
        sum += *std::min_element(costs.values().begin(), costs.values().end());
      }
    }
    return sum;
  }

  // The last eliminated unit depends on nothing: walks back from there.
  Assignment optimum() const {
    Assignment assignment(units_.size());
    for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) {
      int choice = 0;
      for (std::size_t i = 0; i < step->neighbours.size(); ++i) {
        choice = choice * step->candidate_counts[i] + assignment[index(step->neighbours[i])];
      }
      assignment[index(step->unit)] = step->best[index(choice)];
    }
    return assignment;
  }

  std::vector<EliminationStep> take_steps() { return std::move(steps_); }

 private:
  // Eliminates the unit with the fewest neighbours; false when each has too many or none is left.
  bool eliminate_next() {
    if (remaining_.empty() || remaining_.begin()->first > most_neighbours) return false;
    eliminate(remaining_.extract(remaining_.begin()).value().second);
    return true;
  }

  int degree(int unit) const { return static_cast<int>(pairs_[index(unit)].size()); }
  int candidates(int unit) const { return static_cast<int>(units_[index(unit)].size()); }

  // Every pair is kept twice, with the rows of the unit that holds it.
  void add_pair(int a, int b, const CostMatrix& costs) {
    CostMatrix& ab = pairs_[index(a)].try_emplace(b, candidates(a), candidates(b)).first->second;
    CostMatrix& ba = pairs_[index(b)].try_emplace(a, candidates(b), candidates(a)).first->second;
    for (int row = 0; row < costs.rows(); ++row) {
      for (int column = 0; column < costs.columns(); ++column) {
        ab(row, column) += costs(row, column);
        ba(column, row) += costs(row, column);
      }
    }
  }

  // Least over the candidates of `unit` of its own cost and those in `rows`, and where it is.
  std::pair<double, int> least(int unit, std::initializer_list<const double*> rows) const {
    const std::vector<double>& own = units_[index(unit)];
    std::pair<double, int> found{std::numeric_limits<double>::infinity(), 0};
    for (std::size_t candidate = 0; candidate < own.size(); ++candidate) {
      double cost = own[candidate];
      for (const double* row : rows) cost += row[candidate];
      if (cost < found.first) found = {cost, static_cast<int>(candidate)};
    }
    return found;
  }

  const double* row_of(int neighbour, int candidate, int unit) const {
    const CostMatrix& costs = pairs_[index(neighbour)].at(unit);
    return costs.values().data() + index(candidate) * index(costs.columns());
  }

  void eliminate(int unit) {
    EliminationStep step;
    step.unit = unit;
    for (const auto& [other, costs] : pairs_[index(unit)]) {
      remaining_.erase({degree(other), other});
      step.neighbours.push_back(other);
      step.candidate_counts.push_back(candidates(other));
    }
    if (step.neighbours.empty()) fold_alone(step);
    if (step.neighbours.size() == 1) fold_into_unit(step);
    if (step.neighbours.size() == 2) fold_into_pair(step);
    if (keeps_costs_) {
      step.own_costs = units_[index(unit)];
      for (auto& [other, costs] : pairs_[index(unit)]) step.pair_costs.push_back(std::move(costs));
    }
    for (int other : step.neighbours) {
      pairs_[index(other)].erase(unit);
      remaining_.emplace(degree(other), other);
    }
    pairs_[index(unit)].clear();
    steps_.push_back(std::move(step));
  }

  void fold_alone(EliminationStep& step) {
    const auto [cost, best] = least(step.unit, {});
    constant_ += cost;
    step.best.push_back(best);
  }

  void fold_into_unit(EliminationStep& step) {
    const int other = step.neighbours.front();
    for (int c = 0; c < candidates(other); ++c) {
      const auto [cost, best] = least(step.unit, {row_of(other, c, step.unit)});
      units_[index(other)][index(c)] += cost;
      step.best.push_back(best);
    }
  }

  void fold_into_pair(EliminationStep& step) {
    const int a = step.neighbours.front();
    const int b = step.neighbours.back();
    CostMatrix costs(candidates(a), candidates(b));
    for (int i = 0; i < candidates(a); ++i) {
      for (int j = 0; j < candidates(b); ++j) {
        const auto [cost, best] =
            least(step.unit, {row_of(a, i, step.unit), row_of(b, j, step.unit)});
        costs(i, j) = cost;
        step.best.push_back(best);
      }
    }
    add_pair(a, b, costs);
  }

  bool keeps_costs_;
  UnitCosts units_;
  std::vector<std::map<int, CostMatrix>> pairs_;  // by unit, then by neighbour
  std::set<std::pair<int, int>> remaining_;       // units that are left, by their neighbours
  std::vector<EliminationStep> steps_;
  double constant_ = 0.0;
};

}  // namespace

Elimination eliminate(const CostGraph& graph) {
  check(graph);
  Eliminator eliminator(graph, false);
  eliminator.run();
  Elimination result{.bound = eliminator.bound(), .optimum = std::nullopt};
  if (eliminator.complete()) result.optimum = eliminator.optimum();
  return result;
}

EliminationSteps elimination_steps(const CostGraph& graph) {
  check(graph);
  Eliminator eliminator(graph, true);
  eliminator.run();
  EliminationSteps result{.bound = eliminator.bound(), .optimum = std::nullopt, .steps = {}};
  if (eliminator.complete()) result.optimum = eliminator.optimum();
  result.steps = eliminator.take_steps();
  return result;
}

}  // namespace cnnplan
