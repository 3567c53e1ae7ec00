// Predicts times and memory of a plan.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "planner/predict/virtual_time.hpp"

namespace cnnplan {

// Holds one schedule for each class of ranks.
struct PricedPlan {
  RankClasses classes = RankClasses::each(1);
  std::vector<PricedSchedule> schedules;  // by class
};

// @pre validate(plan) holds; `classes` has as many ranks as the plan
PricedPlan lower_and_price(const Plan& plan, RankClasses classes, const PriceList& prices);
// Uses as few classes as RankClasses::of finds.
PricedPlan lower_and_price(const Plan& plan, const PriceList& prices);

// Returns timelines by class. All ranks of a class do what the class's rank does.
std::vector<RankTimeline> walk(const PricedPlan& priced, const VirtualTimeOptions& options = {});

// Holds the operations of a plan's ranks as virtual time needs them.
struct PlanWork {
  RankClasses classes = RankClasses::each(1);
  std::vector<RankWork> ranks{};  // by class
  MemoryUse memory{};             // of the rank that needs most, where it is known
};
// Also computes the memory. If no operations run at the same time, and a rank has memory for the
// sum of its buffers, it counts with this sum. A prediction places buffers in a shared arena, and
// needs less. @pre validate(plan) holds
PlanWork work_of(const Plan& plan, const PriceList& prices);
std::vector<RankTimeline> walk(const PlanWork& work, const VirtualTimeOptions& options = {});

// Returns only the step time of the plan's prediction. It takes less time than a prediction,
// because it places no buffers in the arena if operations run one after the other.
// @pre validate(plan) holds, for this function and all below
double predicted_step_s(const Plan& plan, const PriceList& prices);

// Returns the time of the forward pass of a mini-batch, as `cnnexec --infer` runs it. No
// communication is hidden.
double predicted_inference_s(const Plan& plan, const PriceList& prices);

// Fills step, low and high, exposed communication, operations, memory and estimated kernels. The
// values of the search (baseline, bound, runner-up) stay as they are in `plan.prediction`.
Prediction predict(const Plan& plan, const PriceList& prices);
// Predicts with the given classes. @pre `classes` has as many ranks as the plan
Prediction predict(const Plan& plan, RankClasses classes, const PriceList& prices);

// Is called with the index of a class and with the priced schedule of its rank, which it may move
// away. Several threads call it at the same time, each for a class of its own.
using LookAtClass = std::function<void(std::size_t, PricedSchedule&)>;
// Predicts as the function above, and shows each schedule once to `look`.
Prediction predict(const Plan& plan,
                   RankClasses classes,
                   const PriceList& prices,
                   const LookAtClass& look);

// Returns `plan` with its prediction, except for inference, and with the names of the
// implementations that its times come from.
Plan with_prediction(Plan plan, const PriceList& prices);

}  // namespace cnnplan
