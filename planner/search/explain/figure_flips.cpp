// Multiplies every figure until a runner-up costs no more than the plan.
#include "planner/search/explain/figure_flips.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "planner/base/error.hpp"
#include "planner/base/parallel.hpp"
#include "planner/search/explain/crossing.hpp"

namespace cnnplan {
namespace {

const double farthest = std::log2(most_factor);

// Computes the sums of the plans while one figure is multiplied.
class Curves {
 public:
  Curves(const ComparedPlans& plans,
         const Machine& machine,
         MachineFigure figure,
         std::vector<double> now_s)
      : plans_(plans),
        machine_(machine),
        figure_(std::move(figure)),
        sums_s_{{0.0, std::move(now_s)}} {
    const NumberRange factors = factors_of(figure_, machine_.platform);
    const double up = std::min(farthest, std::log2(factors.maximum));
    const double down = std::max(-farthest, std::log2(factors.minimum));
    for (double exponent : {up, down}) {
      if (exponent != 0.0 && is_allowed(exponent)) ends_.push_back(exponent);
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
  // Returns the farthest exponents up and down with which machines and files may have the figure.
  const std::vector<double>& ends() const { return ends_; }

 private:
  WhatIf change(double exponent) const { return multiplied(figure_, std::exp2(exponent)); }
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
  MachineFigure figure_;
  std::map<double, std::vector<double>> sums_s_;  // by exponent
  std::vector<double> ends_;
};

std::optional<double> flip_factor(Curves& curves, std::size_t runner_up) {
  const std::vector<double>& ends = curves.ends();
  if (is_tie(curves.two_at(0.0, runner_up))) {
    const bool parts = std::any_of(ends.begin(), ends.end(), [&](double end) {
      return !is_tie(curves.two_at(end, runner_up));
    });
    return parts ? std::optional(1.0) : std::nullopt;
  }
  return nearest_crossing([&](double exponent) { return curves.two_at(exponent, runner_up); },
                          ends);
}

// Sets the value of times of kernels to their part of the plan's sum. The sum is linear in them.
void add_part_of_sum(Curves& curves, PriceFigure& figure) {
  if (figure.most > 0.0) return;
  const double more_s = curves.at(farthest).front() - curves.at(0.0).front();
  figure.least = figure.most = more_s / (most_factor - 1.0);
}

FigureFlips flips_of(const PriceFigure& figure, Curves curves) {
  const std::vector<double> now_s = curves.at(0.0);
  FigureFlips found{.figure = figure, .factors = {}};
  for (double end : curves.ends()) found.matters = found.matters || curves.at(end) != now_s;
  found.factors.resize(now_s.size() - 1);
  if (!found.matters) return found;
  add_part_of_sum(curves, found.figure);
  for (std::size_t i = 0; i < found.factors.size(); ++i) {
    found.factors[i] = flip_factor(curves, i);
  }
  return found;
}

}  // namespace

std::vector<FigureFlips> figure_flips(const ComparedPlans& plans,
                                      const Machine& machine,
                                      const std::vector<double>& now_s) {
  const std::vector<PriceFigure> figures = price_figures(machine.platform, machine.profile);
  std::vector<FigureFlips> found(figures.size());
  parallel_for(figures.size(), [&](std::size_t i) {
    found[i] = flips_of(figures[i], Curves(plans, machine, figures[i].figure, now_s));
  });
  return found;
}

}  // namespace cnnplan
