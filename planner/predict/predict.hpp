// Predicts times and memory of a plan.
#pragma once

#include <vector>

#include "planner/predict/plan_work.hpp"

namespace cnnplan {

// Holds a plan that is lowered for one rank of each class, with the prices of all operations.
struct PricedPlan {
  RankClasses classes = RankClasses::each(1);
  std::vector<PricedSchedule> schedules;  // by class
};

// Lowers the plan for the representative of each class, in this detail.
// @pre validate(plan) holds; `classes` has as many ranks as the plan
PricedPlan lower_and_price(const Plan& plan,
                           RankClasses classes,
                           const PriceList& prices,
                           Detail detail = Detail::executable);
// Finds the classes by RankClasses::of, which keeps them few.
PricedPlan lower_and_price(const Plan& plan, const PriceList& prices);

// Returns timelines by class. The representative's timeline stands for all ranks of its class.
std::vector<RankTimeline> walk(const PricedPlan& priced, const VirtualTimeOptions& options = {});

// Fills step, low and high, exposed communication, operations, memory, and estimated kernels with
// their families. The values of the search (baseline, bound, runner-up) stay as they are in
// `plan.prediction`. @pre validate(plan) holds, for this function and all below
Prediction predict(const Plan& plan, const PriceList& prices);
// Predicts with the given classes. @pre `classes` has as many ranks as the plan
Prediction predict(const Plan& plan, RankClasses classes, const PriceList& prices);

// Predicts as the function above, and shows each schedule once to `look`.
Prediction predict(const Plan& plan,
                   RankClasses classes,
                   const PriceList& prices,
                   const LookAtClass& look);

// Returns `plan` with its prediction, except for inference, and with the names of the
// implementations that the times of its convolutions come from.
Plan with_prediction(Plan plan, const PriceList& prices);

}  // namespace cnnplan
