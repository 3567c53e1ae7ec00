// Min-sum elimination over unit costs and pair matrices.
#include "planner/search/graph/elimination.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <set>
#include <utility>

#include "planner/search/graph/min_plus.hpp"

namespace cnnplan {
namespace {

class Eliminator {
 public:
  // Keeps a reference to `folded`.
  Eliminator(const CostGraph& graph, FoldedCosts& folded)
      : units_(graph.units),
        changed_(graph.units.size()),
        pairs_(graph.units.size()),
        folded_(folded) {
    folded_.begin_run();
    for (const CostEdge& edge : graph.edges) add_pair(edge.from, edge.to, edge.costs);
    for (int unit = 0; unit < graph.unit_count(); ++unit) remaining_.insert(turn_of(unit));
  }

  void run() {
    while (eliminate_next()) {
    }
  }

  bool complete() const { return remaining_.empty(); }

  double bound() const {
    double sum = constant_;
    for (const auto& [neighbours, changed, unit] : remaining_) {
      sum += *std::min_element(units_[unit].begin(), units_[unit].end());
      for (const auto& [other, costs] : pairs_[unit]) {
        if (other < unit) continue;
        sum += *std::min_element(costs.values().begin(), costs.values().end());
      }
    }
    return sum;
  }

  // Walks back from the last eliminated unit, which depends on no other.
  Assignment optimum() const {
    Assignment assignment(units_.size());
    for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) {
      std::array<int, most_neighbours> candidates{};
      for (std::size_t i = 0; i < step->neighbours.size(); ++i) {
        candidates[i] = assignment[step->neighbours[i]];
      }
      assignment[step->unit] = step->best_with(candidates);
    }
    return assignment;
  }

  std::vector<EliminationStep> take_steps() { return std::move(steps_); }

 private:
  // The unit with the lowest turn is eliminated next.
  struct Turn {
    int neighbours = 0;
    // Units whose costs are their own alone are eliminated first. Repeated blocks are still alike
    // then, and fold into equal matrices.
    bool changed = false;
    int unit = 0;
    auto operator<=>(const Turn&) const = default;
  };

  // Eliminates the unit with the fewest neighbours. Returns false when every unit has too many, or
  // none is left.
  bool eliminate_next() {
    if (remaining_.empty() || remaining_.begin()->neighbours > most_neighbours) return false;
    eliminate(remaining_.extract(remaining_.begin()).value().unit);
    return true;
  }

  Turn turn_of(int unit) const {
    return {.neighbours = static_cast<int>(pairs_[unit].size()),
            .changed = changed_[unit],
            .unit = unit};
  }

  // Every pair is kept twice, with the rows of the unit that holds it.
  void add_pair(int a, int b, const SharedCosts& costs) {
    add_costs(a, b, costs);
    add_costs(b, a, folded_.transposed(costs));
  }

  void add_costs(int unit, int other, const SharedCosts& costs) {
    const auto [entry, is_new] = pairs_[unit].try_emplace(other, costs);
    if (!is_new) entry->second = folded_.sum_of(entry->second, costs);
  }

  void eliminate(int unit) {
    EliminationStep step{.unit = unit, .own_costs = units_[unit]};
    for (const auto& [other, costs] : pairs_[unit]) {
      remaining_.erase(turn_of(other));
      step.neighbours.push_back(other);
      step.pair_costs.push_back(std::move(pairs_[other].extract(unit).mapped()));
    }
    if (step.neighbours.empty()) {
      constant_ += *std::min_element(step.own_costs.begin(), step.own_costs.end());
    }
    if (step.neighbours.size() == 1) fold_into_unit(step);
    if (step.neighbours.size() == 2) fold_into_pair(step);
    for (int other : step.neighbours) remaining_.insert(turn_of(other));
    pairs_[unit].clear();
    steps_.push_back(std::move(step));
  }

  void fold_into_unit(const EliminationStep& step) {
    const int neighbour = step.neighbours.front();
    changed_[neighbour] = true;
    std::vector<double>& costs = units_[neighbour];
    for (int c = 0; c < static_cast<int>(costs.size()); ++c) {
      costs[c] += least_sum(step.own_costs, step.pair_costs.front().row(c));
    }
  }

  void fold_into_pair(const EliminationStep& step) {
    add_pair(step.neighbours.front(),
             step.neighbours.back(),
             folded_.without(step.own_costs, step.pair_costs.front(), step.pair_costs.back()));
  }

  UnitCosts units_;
  std::vector<bool> changed_;  // by unit, whether another unit was folded into its costs
  std::vector<std::map<int, SharedCosts>> pairs_;  // by unit, then by neighbour
  std::set<Turn> remaining_;
  std::vector<EliminationStep> steps_;
  double constant_ = 0.0;
  FoldedCosts& folded_;
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
  FoldedCosts folded;
  return elimination_steps(graph, folded);
}

EliminationSteps elimination_steps(const CostGraph& graph, FoldedCosts& folded) {
  check(graph);
  Eliminator eliminator(graph, folded);
  eliminator.run();
  EliminationSteps result{.bound = eliminator.bound(), .optimum = std::nullopt, .steps = {}};
  if (eliminator.complete()) result.optimum = eliminator.optimum();
  result.steps = eliminator.take_steps();
  return result;
}

}  // namespace cnnplan
