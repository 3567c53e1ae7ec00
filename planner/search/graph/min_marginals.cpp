// Finds the marginals of the unit that was eliminated last, then of the units before it.
#include "planner/search/graph/min_marginals.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "planner/search/graph/min_plus.hpp"

namespace cnnplan {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

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
    place_[steps_[place].unit] = static_cast<int>(place);
    for (int other : steps_[place].neighbours) {
      leaned_[other].push_back(steps_[place].unit);
    }
    if (steps_[place].neighbours.size() == most_neighbours) {
      asked_pairs_.insert(std::minmax(steps_[place].neighbours[0], steps_[place].neighbours[1]));
    }
  }
  for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) take_back(*step);
  // Costs above the limit may be too high, because not all pairs were looked at.
  for (std::vector<double>& costs : costs_) {
    for (double& cost : costs) cost = cost > limit_ ? infinity : cost;
  }
}

std::optional<MinMarginals> MinMarginals::of(const CostGraph& graph) {
  EliminationSteps steps = elimination_steps(graph);
  if (!steps.optimum) return std::nullopt;
  return MinMarginals(std::move(steps));
}

const EliminationStep& MinMarginals::step_of(int unit) const {
  return steps_[place_[unit]];
}

MinMarginals::Pairs MinMarginals::pairs_of(const EliminationStep& step) {
  const auto candidates = static_cast<int>(step.own_costs.size());
  const auto counts = step.candidate_counts();
  Pairs pairs{};
  for (std::size_t i = 0; i < step.neighbours.size(); ++i) {
    if (!asked_pairs_.contains(std::minmax(step.unit, step.neighbours[i]))) continue;
    pairs[i] = &pairs_[step.unit][step.neighbours[i]];
    pairs[i]->costs = CostMatrix(counts[i], candidates, infinity);
    pairs[i]->others.assign(pairs[i]->costs.values().size(), 0);
  }
  return pairs;
}

void MinMarginals::take_back(const EliminationStep& step) {
  const std::size_t candidates = step.own_costs.size();
  costs_[step.unit].assign(candidates, infinity);
  with_[step.unit].resize(candidates);
  const auto counts = step.candidate_counts();
  const Pairs pairs = pairs_of(step);
  const LeastWith least_with = least_with_neighbours(step);
  std::vector<double> with_first = step.own_costs;
  std::vector<double> with_both = step.own_costs;
  for (int i = 0; i < counts.front(); ++i) {
    if (!step.neighbours.empty()) {
      add_rows(step.own_costs, step.pair_costs.front().row(i), with_first);
    }
    for (int j = 0; j < counts.back(); ++j) {
      const double least = least_with({i, j});
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

MinMarginals::LeastWith MinMarginals::least_with_neighbours(const EliminationStep& step) const {
  const std::vector<int>& units = step.neighbours;
  if (units.empty()) return {.values = &least_};
  if (units.size() == 1) return {.values = costs_[units[0]].data(), .strides = {1, 0}};
  const auto found = pairs_[units[0]].find(units[1]);
  const bool is_with_first = found != pairs_[units[0]].end();
  const CostMatrix& costs = (is_with_first ? found->second : pairs_[units[1]].at(units[0])).costs;
  const auto columns = static_cast<std::size_t>(costs.columns());
  return {.values = costs.values().data(),
          .strides = is_with_first ? std::array{std::size_t{1}, columns}
                                   : std::array{columns, std::size_t{1}}};
}

void MinMarginals::lower_by(const EliminationStep& step, const Given& given, const Pairs& pairs) {
  const auto& [neighbours, least, costs] = given;
  const double others = least - least_of(costs);
  std::vector<double>& own = costs_[step.unit];
  if (is_lower_somewhere(costs, others, own)) {
    for (std::size_t c = 0; c < costs.size(); ++c) {
      if (others + costs[c] >= own[c]) continue;
      own[c] = others + costs[c];
      with_[step.unit][c] = neighbours;
    }
  }
  for (std::size_t i = 0; i < step.neighbours.size(); ++i) {
    if (pairs[i] == nullptr) continue;
    const std::span<double> least_of_pair = pairs[i]->costs.row(neighbours[i]);
    if (!is_lower_somewhere(costs, others, least_of_pair)) continue;
    int* const other = pairs[i]->others.data() + pairs[i]->costs.index(neighbours[i], 0);
    for (std::size_t c = 0; c < costs.size(); ++c) {
      if (others + costs[c] >= least_of_pair[c]) continue;
      least_of_pair[c] = others + costs[c];
      other[c] = neighbours[1 - i];
    }
  }
}

}  // namespace cnnplan
