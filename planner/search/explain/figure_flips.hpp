// Finds the factors of figures of a machine with which a plan's runner-ups are as fast as the plan.
#pragma once

#include <optional>
#include <vector>

#include "planner/search/explain/compared_plans.hpp"
#include "planner/what_if/what_if.hpp"

namespace cnnplan {

// Refers to the figures of a machine.
struct Machine {
  const Platform& platform;
  const Profile& profile;
};

// A figure is multiplied by factors between 1/most_factor and most_factor.
inline constexpr double most_factor = 16.0;

// Describes the effect of one figure on the plans.
struct FigureFlips {
  PriceFigure figure;    // with times of kernels, the value is their part of the plan's sum
  bool matters = false;  // the sum of at least one of the plans depends on the figure
  // This is, for each runner-up, the factor nearest to 1 with which the runner-up takes as long as
  // the plan. The factor is 1 if the two take equally long now but not with other factors. It is
  // absent if there is no such factor.
  std::vector<std::optional<double>> factors;
};

// Returns the flips of each of price_figures(machine.platform, machine.profile).
// @pre now_s == plans.sums_s(machine.platform, machine.profile)
// @pre no runner-up takes less than the plan by more than rounding
std::vector<FigureFlips> figure_flips(const ComparedPlans& plans,
                                      const Machine& machine,
                                      const std::vector<double>& now_s);

}  // namespace cnnplan
