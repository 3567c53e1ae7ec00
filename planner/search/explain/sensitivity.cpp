// Compares a plan with its closest runner-ups while figures of the machine change.
#include "planner/search/explain/sensitivity.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "planner/plan/was_searched.hpp"
#include "planner/search/explain/compared_plans.hpp"
#include "planner/search/explain/crossing.hpp"
#include "planner/search/explain/figure_flips.hpp"
#include "planner/search/explain/margins.hpp"

namespace cnnplan {
namespace {

constexpr std::size_t most_compared = 8;  // limits the different margins
constexpr std::size_t most_plans = 64;    // limits the runner-ups with these margins

using Margins = std::vector<const UnitMargin*>;

bool is_same(const std::optional<double>& a, const std::optional<double>& b) {
  constexpr double rounding = 1e-9;  // relative error of the factor where two lines meet
  if (!a || !b) return !a && !b;
  return std::abs(*a / *b - 1.0) < rounding;
}

// True if one figure alone flips a runner-up at the factor of `all`, which stands for several
// figures.
bool one_does(const std::vector<FigureFlips>& found,
              const FigureFlips& all,
              std::size_t runner_up) {
  return std::any_of(found.begin(), found.end(), [&](const FigureFlips& one) {
    return !one.figure.several && is_same(one.factors[runner_up], all.factors[runner_up]);
  });
}

void add_flips(const std::vector<FigureFlips>& found, std::size_t i, Sensitivity& result) {
  for (const FigureFlips& flips : found) {
    if (!flips.factors[i] || (flips.figure.several && one_does(found, flips, i))) continue;
    result.flips.push_back({.runner_up = result.runner_ups.size() - 1,
                            .figure = flips.figure,
                            .factor = *flips.factors[i]});
  }
}

bool is_for(const UnitMargin& margin, const std::string& layer) {
  const auto& layers = margin.layers;
  return layer.empty() || std::find(layers.begin(), layers.end(), layer) != layers.end();
}

// Returns one margin for each set of changes.
Margins distinct_runner_ups(const Plan& plan, const std::string& layer) {
  Margins margins;
  for (const UnitMargin& margin : plan.prediction.margins) {
    const bool is_known = std::any_of(margins.begin(), margins.end(), [&](const auto* known) {
      return known->changes == margin.changes;
    });
    if (is_for(margin, layer) && !margin.changes.empty() && !is_known) margins.push_back(&margin);
  }
  return margins;
}

// Returns the runner-ups with the smallest margins, at most most_compared different margins.
// `sums_s` has the sum of the plan, then the sum of each runner-up.
Margins nearest_of(const Margins& margins, const std::vector<double>& sums_s) {
  std::vector<std::pair<double, const UnitMargin*>> by_sum;
  for (std::size_t i = 0; i < margins.size(); ++i) by_sum.emplace_back(sums_s[i + 1], margins[i]);
  std::stable_sort(
      by_sum.begin(), by_sum.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  Margins nearest;
  std::size_t different = 0;
  double last_s = 0.0;
  for (const auto& [sum_s, margin] : by_sum) {
    if (!is_tie({last_s, sum_s})) ++different;
    if (different > most_compared || nearest.size() == most_plans) break;
    last_s = sum_s;
    nearest.push_back(margin);
  }
  return nearest;
}

// Describes a runner-up with all layers that share it. The layers of `runner_up` come first.
RunnerUpPlan described(const Plan& plan, const UnitMargin& runner_up, double margin_s) {
  const std::string& first = runner_up.layers.front();
  const LayerIndex head = plan.network.index_of(first).value();
  RunnerUpPlan result{.layers = {first},
                      .split = to_text(plan.layers[head].split()),
                      .runner_up = runner_up.runner_up,
                      .changes = runner_up.changes.size(),
                      .margin_s = margin_s};
  for (const UnitMargin& margin : plan.prediction.margins) {
    const std::string& other = margin.layers.front();
    if (margin.changes == runner_up.changes && other != first) result.layers.push_back(other);
  }
  return result;
}

// True if two runner-ups change equal splits by equal margins, as in repeated blocks.
bool are_alike(const RunnerUpPlan& a, const RunnerUpPlan& b, double sum_s) {
  return a.split == b.split && a.runner_up == b.runner_up && a.changes == b.changes &&
         is_tie({sum_s + a.margin_s, sum_s + b.margin_s});
}

// Adds a runner-up and its flips. If an alike runner-up is known, adds the layers to it instead.
// `places` has, by runner-up of `result`, its place among the compared ones.
void add(const RunnerUpPlan& runner_up,
         const std::vector<FigureFlips>& found,
         std::size_t place,
         std::vector<std::size_t>& places,
         Sensitivity& result) {
  for (std::size_t i = 0; i < places.size(); ++i) {
    RunnerUpPlan& known = result.runner_ups[i];
    const bool same_flips = std::all_of(found.begin(), found.end(), [&](const auto& flips) {
      return is_same(flips.factors[places[i]], flips.factors[place]);
    });
    if (!same_flips || !are_alike(known, runner_up, result.sum_s)) continue;
    known.layers.insert(known.layers.end(), runner_up.layers.begin(), runner_up.layers.end());
    return;
  }
  places.push_back(place);
  result.runner_ups.push_back(runner_up);
  add_flips(found, place, result);
}

void compare(const Plan& plan,
             const Machine& machine,
             const Margins& margins,
             Sensitivity& result) {
  const ComparedPlans plans(plan, margins);
  const std::vector<double> now_s = plans.sums_s(machine.platform, machine.profile);
  const std::vector<FigureFlips> found = figure_flips(plans, machine, now_s);
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < margins.size(); ++i) {
    const TwoSums sums{.plan_s = now_s.front(), .other_s = now_s[i + 1]};
    const double margin_s = is_tie(sums) ? 0.0 : sums.other_s - sums.plan_s;
    add(described(plan, *margins[i], margin_s), found, i, places, result);
  }
  for (const FigureFlips& flips : found) {
    if (flips.matters) result.figures.push_back(flips.figure.figure);
  }
  std::stable_sort(result.flips.begin(), result.flips.end(), [](const Flip& a, const Flip& b) {
    return distance_from_one(a.factor) < distance_from_one(b.factor);
  });
}

// Keeps the runner-ups that take no less than the plan. The layers of the others go to
// `result.shorter`.
Margins not_shorter(const Margins& margins, std::vector<double>& sums_s, Sensitivity& result) {
  Margins kept;
  std::vector<double> kept_s{sums_s.front()};
  for (std::size_t i = 0; i < margins.size(); ++i) {
    const TwoSums sums{.plan_s = sums_s.front(), .other_s = sums_s[i + 1]};
    if (sums.other_s < sums.plan_s && !is_tie(sums)) {
      result.shorter.push_back(margins[i]->layers.front());
      continue;
    }
    kept.push_back(margins[i]);
    kept_s.push_back(sums.other_s);
  }
  sums_s = std::move(kept_s);
  return kept;
}

// Returns the layers that have a runner-up, but none that takes longer than the plan.
std::vector<std::string> without_longer(const Plan& plan, const std::string& layer) {
  std::vector<std::string> layers;
  for (const UnitMargin& margin : plan.prediction.margins) {
    if (!is_for(margin, layer) || margin.runner_up.empty() || !margin.changes.empty()) continue;
    layers.push_back(margin.layers.front());
  }
  return layers;
}

// Says why a plan has no margins.
NoRunnerUp without_margins(const Plan& plan) {
  if (is_split_by_layers(plan)) return NoRunnerUp::split_by_layers;
  if (!was_searched(plan.prediction)) return NoRunnerUp::no_search;
  return is_made_of_choices(plan) ? NoRunnerUp::entangled : NoRunnerUp::other_choices;
}

// Says why no margin of the plan, or of a layer, names changes. If no margin is below 0, the plan
// is the cheapest in sum, so that no runner-up takes less.
NoRunnerUp without_changes(const Plan& plan, const std::string& layer) {
  const std::vector<UnitMargin>& margins = plan.prediction.margins;
  const bool any_known = std::any_of(margins.begin(), margins.end(), [&](const UnitMargin& margin) {
    return is_for(margin, layer) && !margin.runner_up.empty();
  });
  if (!any_known) return NoRunnerUp::none_near;
  if (plan.prediction.rivals.empty()) return NoRunnerUp::older_plan;
  const bool any_shorter = std::any_of(
      margins.begin(), margins.end(), [](const auto& margin) { return margin.margin_s < 0.0; });
  return any_shorter ? NoRunnerUp::shorter : NoRunnerUp::many_changes;
}

}  // namespace

Sensitivity sensitivity(const Plan& plan,
                        const Platform& platform,
                        const Profile& profile,
                        const std::string& layer) {
  Sensitivity result{.most_factor = most_factor, .shorter = without_longer(plan, layer)};
  const Margins all = distinct_runner_ups(plan, layer);
  if (all.empty()) {
    result.no_runner_up =
        plan.prediction.margins.empty() ? without_margins(plan) : without_changes(plan, layer);
    return result;
  }
  std::vector<double> sums_s = ComparedPlans(plan, all).sums_s(platform, profile);
  result.sum_s = sums_s.front();
  const Margins longer = not_shorter(all, sums_s, result);
  if (longer.empty()) {
    result.no_runner_up = NoRunnerUp::shorter;
  } else {
    compare(plan, {platform, profile}, nearest_of(longer, sums_s), result);
  }
  return result;
}

}  // namespace cnnplan
