// What every figure of a machine does to the runner-ups of a plan.
#pragma once

#include <optional>
#include <vector>

#include "planner/search/explain/compared_plans.hpp"
#include "planner/what_if/what_if.hpp"

namespace cnnplan {

struct Machine {
  const Platform& platform;
  const Profile& profile;
};

// Figures are multiplied by this, by its reciprocal, and what lies between.
inline constexpr double most_factor = 16.0;

// What one figure does.
struct FigureFlips {
  PriceFigure figure;    // of times of kernels: what they take of the sum of the plan
  bool matters = false;  // to any of the plans
  // By runner-up, the factor nearest to 1 with which it takes as long as the plan; 1 where it does
  // so now and not with other factors.
  std::vector<std::optional<double>> factors;
};

// Of each of price_figures. `now_s`: the sums of the plans on the machine as it is.
// @pre no runner-up takes less than the plan by more than rounding
std::vector<FigureFlips> figure_flips(const ComparedPlans& plans,
                                      const Machine& machine,
                                      const std::vector<double>& now_s);

}  // namespace cnnplan
