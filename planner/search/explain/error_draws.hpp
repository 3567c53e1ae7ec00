// Predicts plans for machines whose figures differ from the known ones by plausible errors.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "planner/plan/plan.hpp"
#include "planner/predict/predict.hpp"

namespace cnnplan {

// A plan is predicted for this number of machines.
inline constexpr int draw_count = 32;

// Returns the figures that draws change, with a factor for each draw: latency and time per byte of
// each level, and the times of each kind of kernels. Where whole collectives were measured
// (Platform::allreduce), one figure stands for all levels. The logarithm of a factor is normal with
// mean 0. Its deviation is 0.05 for links that were measured, else 0.2. For a kind of kernels, it
// has half of the variance that the ranges of their prices show. drawn_steps_s draws the other half
// for each kernel alone. Factors depend on names only, so that they are the same in every run.
// @pre `priced` has prices on `platform`
std::vector<DrawnFigure> drawn_figures(const PricedPlan& priced, const Platform& platform);

// Returns the step of the plan in each draw of `figures`. Kernels of kinds that `figures` lacks
// only have the errors of each kernel alone. @pre `priced` is `plan` with these prices
std::vector<double> drawn_steps_s(const Plan& plan,
                                  const PricedPlan& priced,
                                  const PriceList& prices,
                                  const std::vector<DrawnFigure>& figures);

// Returns a number of the standard normal distribution that only depends on `name` and `draw`.
double standard_normal(const std::string& name, int draw);

}  // namespace cnnplan
