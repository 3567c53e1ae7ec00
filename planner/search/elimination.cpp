// Min-sum elimination over unit costs and pair matrices.
#include "planner/search/elimination.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <initializer_list>
#include <limits>
#include <map>
#include <utility>

namespace cnnplan {
namespace {

constexpr int most_neighbours = 2;

std::size_t index(int i) {
  return static_cast<std::size_t>(i);
}

// An eliminated unit: its best candidate for every choice of its neighbours.
struct Step {
  int unit = 0;
  std::vector<int> neighbours;
  std::vector<int> candidate_counts;  // of the neighbours
  std::vector<int> best;              // by the neighbours' candidates, the last one fastest
  std::vector<CostMatrix> pairs;      // with each neighbour, which has the rows
};

// The steps backwards: what the cheapest assignment costs with every choice of a unit, and with
// every choice of a unit and one of the neighbours that it had when it was eliminated. Such a pair
// of neighbours was joined by then, so that the earlier of the two has met the later one.
class Marginals {
 public:
  // `unit_costs` are those by the time that each unit was eliminated.
  explicit Marginals(const UnitCosts& unit_costs)
      : unit_costs_(unit_costs), units_(unit_costs.size()), pairs_(unit_costs.size()) {}

  // `total`: the cost of the optimum. @pre the steps after this one were added
  void add(const Step& step, double total) {
    begin(step);
    const int rows = step.neighbours.empty() ? 1 : step.candidate_counts.front();
    const int columns = step.neighbours.size() < 2 ? 1 : step.candidate_counts.back();
    for (int i = 0; i < rows; ++i) {
      for (int j = 0; j < columns; ++j) add(step, {i, j}, with_choice(step, {i, j}, total));
    }
  }
  UnitCosts units() && { return std::move(units_); }

 private:
  using Choice = std::array<int, most_neighbours>;  // of the neighbours, as far as there are any

  void begin(const Step& step) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const std::size_t candidates = unit_costs_[index(step.unit)].size();
    units_[index(step.unit)].assign(candidates, infinity);
    met_.clear();
    for (std::size_t k = 0; k < step.neighbours.size(); ++k) {
      CostMatrix& pair = pairs_[index(step.unit)][step.neighbours[k]];
      pair = CostMatrix(static_cast<int>(candidates), step.candidate_counts[k], infinity);
      met_.push_back(&pair);
    }
  }

  // Of the cheapest assignment with these choices.
  double with_choice(const Step& step, const Choice& choice, double total) const {
    if (step.neighbours.empty()) return total;
    const int a = step.neighbours.front();
    if (step.neighbours.size() == 1) return units_[index(a)][index(choice[0])];
    const int b = step.neighbours.back();
    const auto pair = pairs_[index(a)].find(b);
    return pair != pairs_[index(a)].end() ? pair->second(choice[0], choice[1])
                                          : pairs_[index(b)].at(a)(choice[1], choice[0]);
  }

  void add(const Step& step, const Choice& choice, double cheapest) {
    std::vector<double>& least = units_[index(step.unit)];
    costs_ = unit_costs_[index(step.unit)];
    for (std::size_t k = 0; k < met_.size(); ++k) {
      for (int i = 0; i < met_[k]->rows(); ++i) costs_[index(i)] += step.pairs[k](choice[k], i);
    }
    const double outside = cheapest - *std::min_element(costs_.begin(), costs_.end());
    for (std::size_t i = 0; i < least.size(); ++i) {
      const double cost = outside + costs_[i];
      least[i] = std::min(least[i], cost);
      for (std::size_t k = 0; k < met_.size(); ++k) {
        double& pair = (*met_[k])(static_cast<int>(i), choice[k]);
        pair = std::min(pair, cost);
      }
    }
  }

  const UnitCosts& unit_costs_;
  UnitCosts units_;
  std::vector<std::map<int, CostMatrix>> pairs_;  // by unit, then by neighbour eliminated later
  std::vector<CostMatrix*> met_;                  // of the step at hand, by its neighbours
  std::vector<double> costs_;                     // of its candidates, scratch
};

class Eliminator {
 public:
  explicit Eliminator(const CostGraph& graph) : units_(graph.units), pairs_(graph.units.size()) {
    for (const CostEdge& edge : graph.edges) add_pair(edge.from, edge.to, edge.costs);
    for (int unit = 0; unit < graph.unit_count(); ++unit) remaining_.push_back(unit);
  }

  // Eliminates the unit with the fewest neighbours; false when each has too many or none is left.
  bool eliminate_next() {
    const auto next = std::min_element(
        remaining_.begin(), remaining_.end(), [&](int a, int b) { return degree(a) < degree(b); });
    if (next == remaining_.end() || degree(*next) > most_neighbours) return false;
    eliminate(*next);
    remaining_.erase(next);
    return true;
  }

  bool complete() const { return remaining_.empty(); }

  double bound() const {
    double sum = constant_;
    for (int unit : remaining_) {
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

  // @pre complete()
  UnitCosts marginals() const {
    Marginals marginals(units_);
    for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) {
      marginals.add(*step, constant_);
    }
    return std::move(marginals).units();
  }

 private:
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
    Step step{.unit = unit, .neighbours = {}, .candidate_counts = {}, .best = {}};
    for (const auto& [other, costs] : pairs_[index(unit)]) {
      step.neighbours.push_back(other);
      step.candidate_counts.push_back(candidates(other));
    }
    if (step.neighbours.empty()) fold_alone(step);
    if (step.neighbours.size() == 1) fold_into_unit(step);
    if (step.neighbours.size() == 2) fold_into_pair(step);
    for (int other : step.neighbours) {
      step.pairs.push_back(std::move(pairs_[index(other)].extract(unit).mapped()));
    }
    pairs_[index(unit)].clear();
    steps_.push_back(std::move(step));
  }

  void fold_alone(Step& step) {
    const auto [cost, best] = least(step.unit, {});
    constant_ += cost;
    step.best.push_back(best);
  }

  void fold_into_unit(Step& step) {
    const int other = step.neighbours.front();
    for (int c = 0; c < candidates(other); ++c) {
      const auto [cost, best] = least(step.unit, {row_of(other, c, step.unit)});
      units_[index(other)][index(c)] += cost;
      step.best.push_back(best);
    }
  }

  void fold_into_pair(Step& step) {
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

  UnitCosts units_;
  std::vector<std::map<int, CostMatrix>> pairs_;  // by unit, then by neighbour
  std::vector<int> remaining_;
  std::vector<Step> steps_;
  double constant_ = 0.0;
};

}  // namespace

Elimination eliminate(const CostGraph& graph) {
  check(graph);
  Eliminator eliminator(graph);
  while (eliminator.eliminate_next()) {
  }
  Elimination result{.bound = eliminator.bound(), .optimum = std::nullopt};
  if (eliminator.complete()) result.optimum = eliminator.optimum();
  return result;
}

double lower_bound(const CostGraph& graph) {
  return eliminate(graph).bound;
}

std::optional<UnitCosts> min_marginals(const CostGraph& graph) {
  check(graph);
  Eliminator eliminator(graph);
  while (eliminator.eliminate_next()) {
  }
  if (!eliminator.complete()) return std::nullopt;
  return eliminator.marginals();
}

}  // namespace cnnplan
