// Min-sum elimination over unit costs and pair matrices.
#include "planner/search/elimination.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <set>
#include <utility>

#include "planner/search/min_plus.hpp"

namespace cnnplan {
namespace {

// Each matrix once, however many edges have it.
class Transposes {
 public:
  // @pre a matrix with the same address is the same while this lives
  const SharedCosts& of(const SharedCosts& costs) {
    const auto [entry, is_new] = known_.try_emplace(&costs.matrix());
    if (is_new) entry->second = transposed(costs.matrix());
    return entry->second;
  }

 private:
  std::map<const CostMatrix*, SharedCosts> known_;
};

class Eliminator {
 public:
  explicit Eliminator(const CostGraph& graph) : units_(graph.units), pairs_(graph.units.size()) {
    Transposes transposes;
    for (const CostEdge& edge : graph.edges) {
      add_pair(edge.from, edge.to, {edge.costs, transposes.of(edge.costs)});
    }
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
      std::array<int, most_neighbours> candidates{};
      for (std::size_t i = 0; i < step->neighbours.size(); ++i) {
        candidates[i] = assignment[index(step->neighbours[i])];
      }
      assignment[index(step->unit)] = step->best_with(candidates);
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

  // Every pair is kept twice, with the rows of the unit that holds it.
  void add_pair(int a, int b, const std::array<SharedCosts, 2>& costs) {
    add_costs(a, b, costs[0]);
    add_costs(b, a, costs[1]);
  }

  void add_costs(int unit, int other, const SharedCosts& costs) {
    const auto [entry, is_new] = pairs_[index(unit)].try_emplace(other, costs);
    if (!is_new) entry->second = sum_of(entry->second, costs);
  }

  void eliminate(int unit) {
    EliminationStep step{.unit = unit, .own_costs = units_[index(unit)]};
    for (const auto& [other, costs] : pairs_[index(unit)]) {
      remaining_.erase({degree(other), other});
      step.neighbours.push_back(other);
      step.pair_costs.push_back(std::move(pairs_[index(other)].extract(unit).mapped()));
    }
    if (step.neighbours.empty()) {
      constant_ += *std::min_element(step.own_costs.begin(), step.own_costs.end());
    }
    if (step.neighbours.size() == 1) fold_into_unit(step);
    if (step.neighbours.size() == 2) fold_into_pair(step);
    for (int other : step.neighbours) remaining_.emplace(degree(other), other);
    pairs_[index(unit)].clear();
    steps_.push_back(std::move(step));
  }

  void fold_into_unit(const EliminationStep& step) {
    std::vector<double>& costs = units_[index(step.neighbours.front())];
    for (int c = 0; c < static_cast<int>(costs.size()); ++c) {
      costs[index(c)] += least_sum(step.own_costs, step.pair_costs.front().row(c));
    }
  }

  void fold_into_pair(const EliminationStep& step) {
    const auto [rows, columns] = step.candidate_counts();
    CostMatrix costs(rows, columns);
    std::vector<double> sums(step.own_costs.size());
    for (int i = 0; i < rows; ++i) {
      add_rows(step.own_costs, step.pair_costs.front().row(i), sums);
      for (int j = 0; j < columns; ++j) {
        costs(i, j) = least_sum(sums, step.pair_costs.back().row(j));
      }
    }
    CostMatrix other_way = transposed(costs);
    add_pair(
        step.neighbours.front(), step.neighbours.back(), {std::move(costs), std::move(other_way)});
  }

  UnitCosts units_;
  std::vector<std::map<int, SharedCosts>> pairs_;  // by unit, then by neighbour
  std::set<std::pair<int, int>> remaining_;        // units that are left, by their neighbours
  std::vector<EliminationStep> steps_;
  double constant_ = 0.0;
};

}  // namespace

std::array<int, most_neighbours> EliminationStep::candidate_counts() const {
  std::array<int, most_neighbours> counts{};
  counts.fill(1);
  for (std::size_t i = 0; i < pair_costs.size(); ++i) counts[i] = pair_costs[i].rows();
  return counts;
}

int EliminationStep::best_with(std::span<const int> candidates) const {
  if (neighbours.empty()) {
    return static_cast<int>(std::min_element(own_costs.begin(), own_costs.end()) -
                            own_costs.begin());
  }
  const std::span<const double> last = pair_costs.back().row(candidates[neighbours.size() - 1]);
  if (neighbours.size() == 1) return static_cast<int>(place_of_least_sum(own_costs, last));
  std::vector<double> sums(own_costs.size());
  add_rows(own_costs, pair_costs.front().row(candidates[0]), sums);
  return static_cast<int>(place_of_least_sum(sums, last));
}

Elimination eliminate(const CostGraph& graph) {
  EliminationSteps steps = elimination_steps(graph);
  return {.bound = steps.bound, .optimum = std::move(steps.optimum)};
}

EliminationSteps elimination_steps(const CostGraph& graph) {
  check(graph);
  Eliminator eliminator(graph);
  eliminator.run();
  EliminationSteps result{.bound = eliminator.bound(), .optimum = std::nullopt, .steps = {}};
  if (eliminator.complete()) result.optimum = eliminator.optimum();
  result.steps = eliminator.take_steps();
  return result;
}

}  // namespace cnnplan
