// Adds up the least work of each probed rank, and compares the sums with the limit.
#include "planner/search/pricing/step_limit.hpp"

#include <algorithm>
#include <utility>

namespace cnnplan {
namespace {

// This is the relative rounding error of sums of seconds.
constexpr double rounding_of_steps = 1e-9;

double least_of(const std::vector<double>& costs) {
  return *std::min_element(costs.begin(), costs.end());
}

// Returns by candidate of a unit the least step of a plan that takes it, on the probed rank that
// takes longest.
std::vector<double> least_steps(const PricedNetwork& priced,
                                const std::vector<double>& least_work_s,
                                std::size_t unit) {
  std::vector<double> steps(priced.graph.units[unit].size(), 0.0);
  for (std::size_t rank = 0; rank < priced.least.size(); ++rank) {
    const std::vector<double>& costs = priced.least[rank].units[unit];
    const double others_s = least_work_s[rank] - least_of(costs);
    for (std::size_t i = 0; i < steps.size(); ++i) {
      steps[i] = std::max(steps[i], others_s + costs[i]);
    }
  }
  return steps;
}

// Returns by probed rank the seconds of the work that it must do itself in any plan.
std::vector<double> least_work(const PricedNetwork& priced) {
  std::vector<double> work_s;
  for (const CostGraph& least : priced.least) {
    double sum_s = priced.updates_s;
    for (const std::vector<double>& costs : least.units) sum_s += least_of(costs);
    work_s.push_back(sum_s);
  }
  return work_s;
}

template <typename T>
void keep(std::vector<T>& values, const std::vector<bool>& kept) {
  std::size_t next = 0;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (!kept[i]) continue;
    if (next != i) values[next] = std::move(values[i]);
    ++next;
  }
  values.resize(next);
}

}  // namespace

void leave_out_above(double limit_s, PricedNetwork& priced) {
  const std::vector<double> least_work_s = least_work(priced);
  for (std::size_t unit = 0; unit < priced.graph.units.size(); ++unit) {
    std::vector<bool> kept;
    for (double step_s : least_steps(priced, least_work_s, unit)) {
      kept.push_back(step_s <= limit_s * (1 + rounding_of_steps));
    }
    // This happens only where the known plan is on a mesh that the unit may not take.
    if (std::count(kept.begin(), kept.end(), true) == 0) continue;
    priced.outpriced += std::count(kept.begin(), kept.end(), false);
    keep(priced.choices.units[unit].splits, kept);
    if (!priced.choices.units[unit].recompute.empty()) {
      keep(priced.choices.units[unit].recompute, kept);
    }
    keep(priced.graph.units[unit], kept);
    keep(priced.kept_bytes.units[unit], kept);
    for (CostGraph& least : priced.least) keep(least.units[unit], kept);
  }
}

std::vector<double> spare_within(double limit_s, const PricedNetwork& priced) {
  std::vector<double> spare_s = least_work(priced);
  for (double& seconds : spare_s) seconds = limit_s * (1 + rounding_of_steps) - seconds;
  return spare_s;
}

}  // namespace cnnplan
