// Every figure multiplied until a runner-up is no longer dearer.
#include "planner/search/sensitivity.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "planner/model/error.hpp"
#include "planner/model/parallel.hpp"
#include "planner/search/compared_plans.hpp"
#include "planner/search/crossing.hpp"

namespace cnnplan {
namespace {

constexpr std::size_t most_compared = 8;
constexpr double farthest = 4.0;  // binary logarithm of the largest factor

using Margins = std::vector<const UnitMargin*>;

struct Machine {
  const Platform& platform;
  const Profile& profile;
};

// The sums of the plans while one figure is multiplied.
class Curves {
 public:
  Curves(const ComparedPlans& plans,
         const Machine& machine,
         std::string figure,
         std::vector<double> now_s)
      : plans_(plans),
        machine_(machine),
        figure_(std::move(figure)),
        sums_s_{{0.0, std::move(now_s)}} {
    for (double exponent : {farthest, -farthest}) {
      if (is_allowed(exponent)) ends_.push_back(exponent);
    }
  }

  const std::vector<double>& at(double exponent) {
    const auto [entry, is_new] = sums_s_.try_emplace(exponent);
    if (is_new) entry->second = priced(exponent);
    return entry->second;
  }
  TwoSums two_at(double exponent, std::size_t runner_up) {
    const std::vector<double>& sums_s = at(exponent);
    return {.plan_s = sums_s.front(), .other_s = sums_s[runner_up + 1]};
  }
  // The farthest up and down, as far as files may have such a figure.
  const std::vector<double>& ends() const { return ends_; }

 private:
  WhatIf change(double exponent) const {
    return {.text = figure_, .figure = figure_, .number = std::exp2(exponent)};
  }
  bool is_allowed(double exponent) const {
    Platform platform = machine_.platform;
    Profile profile = machine_.profile;
    try {
      apply(change(exponent), platform, profile);
    } catch (const InputError&) {
      return false;
    }
    return true;
  }
  std::vector<double> priced(double exponent) const {
    Platform platform = machine_.platform;
    Profile profile = machine_.profile;
    apply(change(exponent), platform, profile);
    return plans_.sums_s(platform, profile);
  }

  const ComparedPlans& plans_;
  Machine machine_;
  std::string figure_;
  std::map<double, std::vector<double>> sums_s_;  // by exponent
  std::vector<double> ends_;
};

double distance(double factor) {
  return std::abs(std::log(factor));
}

std::optional<double> flip_factor(Curves& curves, std::size_t runner_up) {
  const std::vector<double>& ends = curves.ends();
  if (is_tie(curves.two_at(0.0, runner_up))) {
    const bool parts = std::any_of(ends.begin(), ends.end(), [&](double end) {
      return !is_tie(curves.two_at(end, runner_up));
    });
    return parts ? std::optional(1.0) : std::nullopt;
  }
  std::optional<double> nearest;
  const auto at = [&](double exponent) { return curves.two_at(exponent, runner_up); };
  for (double end : ends) {
    const std::optional<double> factor = nearest_crossing(at, end);
    if (!factor) continue;
    if (!nearest || distance(*factor) < distance(*nearest)) nearest = factor;
  }
  return nearest;
}

// What times of kernels are of the plan's sum, which grows with them in a straight line.
void add_part_of_sum(Curves& curves, PriceFigure& figure) {
  if (figure.most > 0.0) return;
  const double more_s = curves.at(farthest).front() - curves.at(0.0).front();
  figure.least = figure.most = more_s / (std::exp2(farthest) - 1.0);
}

struct FigureFlips {
  bool matters = false;
  std::vector<Flip> flips;
};

FigureFlips flips_of(PriceFigure figure, Curves curves) {
  const std::vector<double> now_s = curves.at(0.0);
  FigureFlips found;
  for (double end : curves.ends()) found.matters = found.matters || curves.at(end) != now_s;
  if (!found.matters) return found;
  add_part_of_sum(curves, figure);
  for (std::size_t i = 0; i + 1 < now_s.size(); ++i) {
    if (const std::optional<double> factor = flip_factor(curves, i)) {
      found.flips.push_back({.runner_up = i, .figure = figure, .factor = *factor});
    }
  }
  return found;
}

void add_flips(const ComparedPlans& plans,
               const Machine& machine,
               const std::vector<double>& now_s,
               Sensitivity& result) {
  const std::vector<PriceFigure> figures = price_figures(machine.platform, machine.profile);
  std::vector<FigureFlips> found(figures.size());
  parallel_for(figures.size(), [&](std::size_t i) {
    found[i] = flips_of(figures[i], Curves(plans, machine, figures[i].name, now_s));
  });
  for (std::size_t i = 0; i < figures.size(); ++i) {
    if (found[i].matters) result.figures.push_back(figures[i].name);
    result.flips.insert(result.flips.end(), found[i].flips.begin(), found[i].flips.end());
  }
  std::stable_sort(result.flips.begin(), result.flips.end(), [](const Flip& a, const Flip& b) {
    return distance(a.factor) < distance(b.factor);
  });
}

bool is_for(const UnitMargin& margin, const std::string& layer) {
  const auto& layers = margin.layers;
  return layer.empty() || std::find(layers.begin(), layers.end(), layer) != layers.end();
}

// With different changes, each once.
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

// Of these, the ones with the smallest margins, none below 0. `sums_s`: of the plan and of each.
Margins nearest_of(const Margins& margins, const std::vector<double>& sums_s) {
  std::vector<std::pair<double, const UnitMargin*>> by_margin;
  for (std::size_t i = 0; i < margins.size(); ++i) {
    const TwoSums sums{.plan_s = sums_s.front(), .other_s = sums_s[i + 1]};
    if (sums.other_s < sums.plan_s && !is_tie(sums)) continue;
    by_margin.emplace_back(sums.other_s, margins[i]);
  }
  std::stable_sort(by_margin.begin(), by_margin.end(), [](const auto& a, const auto& b) {
    return a.first < b.first;
  });
  if (by_margin.size() > most_compared) by_margin.resize(most_compared);
  Margins nearest;
  for (const auto& entry : by_margin) nearest.push_back(entry.second);
  return nearest;
}

// `runner_up`: the margin that all of these share their changes with.
RunnerUpPlan described(const Plan& plan, const UnitMargin& runner_up, double margin_s) {
  const LayerIndex head = plan.network.index_of(runner_up.layers.front());
  RunnerUpPlan result{.layers = {},
                      .split = to_text(plan.layers[static_cast<std::size_t>(head)].split()),
                      .runner_up = runner_up.runner_up,
                      .changes = runner_up.changes.size(),
                      .margin_s = margin_s};
  for (const UnitMargin& margin : plan.prediction.margins) {
    if (margin.changes == runner_up.changes) result.layers.push_back(margin.layers.front());
  }
  return result;
}

// Of those that have a runner-up, the layers with none that takes longer.
std::vector<std::string> without_longer(const Plan& plan, const std::string& layer) {
  std::vector<std::string> layers;
  for (const UnitMargin& margin : plan.prediction.margins) {
    if (!is_for(margin, layer) || margin.runner_up.empty() || !margin.changes.empty()) continue;
    layers.push_back(margin.layers.front());
  }
  return layers;
}

}  // namespace

Sensitivity sensitivity(const Plan& plan,
                        const Platform& platform,
                        const Profile& profile,
                        const std::string& layer) {
  Sensitivity result{.most_factor = std::exp2(farthest), .shorter = without_longer(plan, layer)};
  const Margins all = distinct_runner_ups(plan, layer);
  const std::vector<double> all_s = ComparedPlans(plan, all).sums_s(platform, profile);
  const Margins margins = nearest_of(all, all_s);
  const ComparedPlans plans(plan, margins);
  const std::vector<double> now_s = plans.sums_s(platform, profile);
  result.sum_s = now_s.front();
  for (std::size_t i = 0; i < margins.size(); ++i) {
    result.runner_ups.push_back(described(plan, *margins[i], now_s[i + 1] - now_s.front()));
  }
  if (!margins.empty()) add_flips(plans, {platform, profile}, now_s, result);
  return result;
}

}  // namespace cnnplan
