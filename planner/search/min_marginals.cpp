// Up from a unit to the last that was eliminated, then down to all that lean on what changed.
#include "planner/search/min_marginals.hpp"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "planner/search/min_plus.hpp"

namespace cnnplan {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

// An assignment as it differs from the optimum.
class MinMarginals::Changes {
 public:
  explicit Changes(const MinMarginals& marginals) : all_(marginals) {}

  // Towards the end of the elimination, until what remains is as in the optimum.
  void climb(const Choice& choice) {
    fix(choice.unit, choice.candidate);
    int unit = choice.unit;
    for (;;) {
      const std::vector<int>& neighbours = all_.step_of(unit).neighbours;
      const Neighbours& best = all_.with_[index(unit)][index(candidate(unit))];
      for (std::size_t i = 0; i < neighbours.size(); ++i) fix(neighbours[i], best[i]);
      if (neighbours.empty()) return;
      const std::optional<int> next =
          neighbours.size() == 1 ? neighbours[0] : end_of_pairs(neighbours[0], neighbours[1]);
      if (!next || is_optimal(*next)) return;
      unit = *next;
    }
  }

  // What was eliminated before and leans on a change.
  void descend() {
    std::set<std::pair<int, int>> open;  // by place, the last first
    const auto open_leaning_on = [&](int unit) {
      for (int other : all_.leaned_[index(unit)]) open.emplace(-all_.place_[index(other)], other);
    };
    for (const auto& [unit, candidate] : fixed_) {
      if (!is_optimal(unit)) open_leaning_on(unit);
    }
    while (!open.empty()) {
      const int unit = open.extract(open.begin()).value().second;
      if (fixed_.contains(unit)) continue;
      const EliminationStep& step = all_.step_of(unit);
      Neighbours candidates{};
      for (std::size_t i = 0; i < step.neighbours.size(); ++i) {
        candidates[i] = candidate(step.neighbours[i]);
      }
      fix(unit, step.best_with(candidates));
      if (!is_optimal(unit)) open_leaning_on(unit);
    }
  }

  Change take() const {
    Change change;
    for (const auto& [unit, candidate] : fixed_) {
      if (!is_optimal(unit)) change.push_back({unit, candidate});
    }
    return change;
  }

 private:
  int candidate(int unit) const {
    const auto found = fixed_.find(unit);
    return found == fixed_.end() ? all_.optimum_[index(unit)] : found->second;
  }
  bool is_optimal(int unit) const { return candidate(unit) == all_.optimum_[index(unit)]; }
  void fix(int unit, int candidate) { fixed_.emplace(unit, candidate); }

  // From pair to pair, each the neighbours of a unit that is known: the unit that the last pair
  // leaves alone; nothing where a pair is as in the optimum.
  std::optional<int> end_of_pairs(int a, int b) {
    while (!(is_optimal(a) && is_optimal(b))) {
      if (all_.place_[index(a)] > all_.place_[index(b)]) std::swap(a, b);
      const std::vector<int>& neighbours = all_.step_of(a).neighbours;
      if (neighbours.size() == 1) return b;
      const int other = neighbours[0] == b ? neighbours[1] : neighbours[0];
      const PairCosts& pair = all_.pairs_[index(a)].at(b);
      fix(other,
          pair.others[index(candidate(b)) * index(pair.costs.columns()) + index(candidate(a))]);
      a = other;
    }
    return std::nullopt;
  }

  const MinMarginals& all_;
  std::map<int, int> fixed_;  // candidate by unit
};

MinMarginals::MinMarginals(EliminationSteps steps, double limit)
    : steps_(std::move(steps.steps)),
      place_(steps_.size()),
      leaned_(steps_.size()),
      optimum_(std::move(steps.optimum.value())),
      least_(steps.bound),
      limit_(limit),
      costs_(optimum_.size()),
      with_(optimum_.size()),
      pairs_(optimum_.size()) {
  for (std::size_t place = 0; place < steps_.size(); ++place) {
    place_[index(steps_[place].unit)] = static_cast<int>(place);
    for (int other : steps_[place].neighbours) {
      leaned_[index(other)].push_back(steps_[place].unit);
    }
    if (steps_[place].neighbours.size() == most_neighbours) {
      asked_pairs_.insert(std::minmax(steps_[place].neighbours[0], steps_[place].neighbours[1]));
    }
  }
  for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) take_back(*step);
}

std::optional<MinMarginals> MinMarginals::of(const CostGraph& graph) {
  EliminationSteps steps = elimination_steps(graph);
  if (!steps.optimum) return std::nullopt;
  return MinMarginals(std::move(steps));
}

Change MinMarginals::changes_with(const Choice& choice) const {
  Changes changes(*this);
  changes.climb(choice);
  changes.descend();
  return changes.take();
}

const EliminationStep& MinMarginals::step_of(int unit) const {
  return steps_[index(place_[index(unit)])];
}

MinMarginals::Pairs MinMarginals::pairs_of(const EliminationStep& step) {
  const auto candidates = static_cast<int>(step.own_costs.size());
  const auto counts = step.candidate_counts();
  Pairs pairs{};
  for (std::size_t i = 0; i < step.neighbours.size(); ++i) {
    if (!asked_pairs_.contains(std::minmax(step.unit, step.neighbours[i]))) continue;
    pairs[i] = &pairs_[index(step.unit)][step.neighbours[i]];
    *pairs[i] = {.costs = CostMatrix(counts[i], candidates, infinity),
                 .others = std::vector<int>(index(candidates) * index(counts[i]))};
  }
  return pairs;
}

void MinMarginals::take_back(const EliminationStep& step) {
  const std::size_t candidates = step.own_costs.size();
  costs_[index(step.unit)].assign(candidates, infinity);
  with_[index(step.unit)].resize(candidates);
  const auto counts = step.candidate_counts();
  const Pairs pairs = pairs_of(step);
  std::vector<double> with_first = step.own_costs;
  std::vector<double> with_both = step.own_costs;
  for (int i = 0; i < counts.front(); ++i) {
    if (!step.neighbours.empty()) {
      add_rows(step.own_costs, step.pair_costs.front().row(i), with_first);
    }
    for (int j = 0; j < counts.back(); ++j) {
      const double least = least_with(step.neighbours, {i, j});
      if (least > limit_) continue;
      std::span<const double> costs = with_first;
      if (step.neighbours.size() == most_neighbours) {
        add_rows(with_first, step.pair_costs.back().row(j), with_both);
        costs = with_both;
      }
      lower_by(step, {.neighbours = {i, j}, .least = least, .costs = costs}, pairs);
    }
  }
}

double MinMarginals::least_with(const std::vector<int>& units, const Neighbours& candidates) const {
  if (units.empty()) return least_;
  if (units.size() == 1) return costs_[index(units[0])][index(candidates[0])];
  const auto found = pairs_[index(units[0])].find(units[1]);
  if (found != pairs_[index(units[0])].end()) {
    return found->second.costs(candidates[1], candidates[0]);
  }
  return pairs_[index(units[1])].at(units[0]).costs(candidates[0], candidates[1]);
}

void MinMarginals::lower_by(const EliminationStep& step, const Given& given, const Pairs& pairs) {
  const auto& [neighbours, least, costs] = given;
  const double others = least - *std::min_element(costs.begin(), costs.end());
  std::vector<double>& own = costs_[index(step.unit)];
  for (std::size_t c = 0; c < costs.size(); ++c) {
    if (others + costs[c] >= own[c]) continue;
    own[c] = others + costs[c];
    with_[index(step.unit)][c] = neighbours;
  }
  for (std::size_t i = 0; i < step.neighbours.size(); ++i) {
    if (pairs[i] == nullptr) continue;
    const std::span<double> least_of_pair = pairs[i]->costs.row(neighbours[i]);
    int* const other = pairs[i]->others.data() + index(neighbours[i]) * costs.size();
    for (std::size_t c = 0; c < costs.size(); ++c) {
      if (others + costs[c] >= least_of_pair[c]) continue;
      least_of_pair[c] = others + costs[c];
      other[c] = neighbours[1 - i];
    }
  }
}

std::optional<UnitCosts> min_marginals(const CostGraph& graph) {
  const std::optional<MinMarginals> marginals = MinMarginals::of(graph);
  return marginals ? std::optional(marginals->costs()) : std::nullopt;
}

}  // namespace cnnplan
