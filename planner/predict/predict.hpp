// Predicted times and memory of a plan.
#pragma once

#include <span>
#include <vector>

#include "planner/predict/virtual_time.hpp"

namespace cnnplan {

// The schedules of all ranks.
std::vector<PricedSchedule> lower_and_price(const Plan& plan, const PriceList& prices);

// Of the rank that needs most, kernels' workspaces included.
MemoryUse most_memory(std::span<const PricedSchedule> schedules, const Platform& platform);

// Fills step, low and high, exposed communication, operations, memory and estimated kernels; what
// the search knows (baseline, bound, runner-up) stays as it is in `plan.prediction`.
Prediction predict(const Plan& plan, const PriceList& prices);
// The same for schedules that are there already. @pre they are those of all ranks under `plan`
Prediction predict(const Plan& plan,
                   std::span<const PricedSchedule> schedules,
                   const Platform& platform);

// Fills the prediction of `plan` and names the implementations that its times are of.
// @pre `schedules` are those of all ranks under `plan`
void complete(Plan& plan, std::span<const PricedSchedule> schedules, const PriceList& prices);

// The same for a plan that is not lowered yet.
Plan with_prediction(Plan plan, const PriceList& prices);

}  // namespace cnnplan
