// Predicted times and memory of a plan.
#pragma once

#include <vector>

#include "planner/predict/virtual_time.hpp"

namespace cnnplan {

// One schedule for each class of ranks.
struct PricedPlan {
  RankClasses classes = RankClasses::each(1);
  std::vector<PricedSchedule> schedules;  // by class
};

PricedPlan lower_and_price(const Plan& plan, RankClasses classes, const PriceList& prices);
// With as few classes as RankClasses::of finds.
PricedPlan lower_and_price(const Plan& plan, const PriceList& prices);

// What a class of ranks does is what its rank does: timelines by class.
std::vector<RankTimeline> walk(const PricedPlan& priced, const VirtualTimeOptions& options = {});

// What the ranks of a plan do, without what they compute.
struct PlanWork {
  RankClasses classes = RankClasses::each(1);
  std::vector<RankWork> ranks{};  // by class
  MemoryUse memory{};             // of the rank that needs most, where it is known
};
// With its memory; where a rank's buffers fit beside each other and nothing runs side by side, what
// they take so, which is more than a prediction says. @pre validate(plan) holds
PlanWork work_of(const Plan& plan, const PriceList& prices);
std::vector<RankTimeline> walk(const PlanWork& work, const VirtualTimeOptions& options = {});

// The step that a prediction of the plan has, and nothing else: in less time, as nothing needs a
// place in memory for it where operations run one after the other.
double predicted_step_s(const Plan& plan, const PriceList& prices);

// Of the forward pass of a mini-batch alone, as `cnnexec --infer` runs it: nothing is hidden.
double predicted_inference_s(const Plan& plan, const PriceList& prices);

// Fills step, low and high, exposed communication, operations, memory and estimated kernels; what
// the search knows (baseline, bound, runner-up) stays as it is in `plan.prediction`.
Prediction predict(const Plan& plan, const PriceList& prices);
// The same with ranks told apart as they are in `classes`, of so many ranks as the plan has.
Prediction predict(const Plan& plan, RankClasses classes, const PriceList& prices);

// `plan` with its prediction, but that of inference, and the names of the implementations that its
// times are of.
Plan with_prediction(Plan plan, const PriceList& prices);

}  // namespace cnnplan
