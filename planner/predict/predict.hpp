// Predicted times and memory of a plan.
#pragma once

#include "planner/predict/virtual_time.hpp"

namespace cnnplan {

// One schedule per rank.
std::vector<Schedule> lower_all(const Plan& plan);

// Step time alone: cheap enough to compare many plans.
double predict_step_s(const Plan& plan, const PriceList& prices);

// Fills step, low and high, exposed communication, operations, memory and estimated kernels; what
// the search knows (baseline, bound, runner-up) stays as it is in `plan.prediction`.
Prediction predict(const Plan& plan, const PriceList& prices);

}  // namespace cnnplan
