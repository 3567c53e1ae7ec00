// Predicts times and memory of a plan.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "planner/predict/virtual_time.hpp"

namespace cnnplan {

// Holds a plan that is lowered for one rank of each class, with the prices of all operations.
struct PricedPlan {
  RankClasses classes = RankClasses::each(1);
  std::vector<PricedSchedule> schedules;  // by class
};

// Lowers the plan for the representative of each class.
// @pre validate(plan) holds; `classes` has as many ranks as the plan
PricedPlan lower_and_price(const Plan& plan, RankClasses classes, const PriceList& prices);
// Finds the classes by RankClasses::of, which keeps them few.
PricedPlan lower_and_price(const Plan& plan, const PriceList& prices);

// Returns timelines by class. All ranks of a class do what the class's rank does.
std::vector<RankTimeline> walk(const PricedPlan& priced, const VirtualTimeOptions& options = {});

// Holds the operations of a plan's ranks as virtual time needs them.
struct PlanWork {
  RankClasses classes = RankClasses::each(1);
  std::vector<RankWork> ranks{};  // by class
  MemoryUse memory{};             // of the rank that needs most, where it is known
};
// Lowers and prices the plan for a walk, and computes the memory. Where operations run one after
// the other, and a rank has room for all of its buffers, their sum is taken as its memory. It is
// then more than predict() finds, which places buffers in a shared arena. @pre validate(plan) holds
PlanWork work_of(const Plan& plan, const PriceList& prices);
// Returns timelines by class, as the function above.
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

// Looks at the priced schedule of one rank of each class. It gets the index of the class and the
// schedule, from which it may move. Several threads call it at the same time, each for a class of
// its own.
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
