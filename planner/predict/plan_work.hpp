// Lowers and prices one rank of each class, and keeps what a step time needs.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "planner/predict/virtual_time.hpp"

namespace cnnplan {

// Holds the operations of a plan's ranks as virtual time needs them.
struct PlanWork {
  RankClasses classes = RankClasses::each(1);
  std::vector<RankWork> ranks{};  // by class
  MemoryUse memory{};             // of the rank that needs most, where it is known
};
std::vector<RankTimeline> walk(const PlanWork& work, const VirtualTimeOptions& options = {});

// Returns the least detail of schedules that tell the step of a plan on a platform.
Detail detail_for_steps(const Plan& plan, const Platform& platform);

// Also computes the memory. If no operations run at the same time, and a rank has memory for the
// sum of its buffers, it counts with this sum. A prediction places buffers in a shared arena, and
// needs less. @pre validate(plan) holds, for this function and all below
PlanWork work_of(const Plan& plan, const PriceList& prices);

// Is called with the index of a class and with the priced schedule of its rank, which it may move
// away. Several threads call it at the same time, each for a class of its own.
using LookAtClass = std::function<void(std::size_t, PricedSchedule&)>;
// Returns the work with the memory for given classes, and shows each schedule once to `look`.
// @pre `classes` has as many ranks as the plan; `detail` is timed where operations run at the same
// time
PlanWork work_of(const Plan& plan,
                 RankClasses classes,
                 Detail detail,
                 const PriceList& prices,
                 const LookAtClass& look);

struct WalkedWork {
  PlanWork work;
  std::vector<RankTimeline> timelines;
};
// Returns the work with its memory and timelines.
WalkedWork walked_work_of(const Plan& plan, const PriceList& prices);

// Says from when on a step is too long, and which ranks probably make it long.
struct StepLimit {
  double seconds = 0.0;
  // Holds ranks that are lowered first, the slowest first. Any ranks give the same answer.
  std::vector<int> slow_ranks{};
};
// Returns the work with its memory and timelines if the step is shorter than the limit, else
// nothing. Often only a few ranks are lowered until the step is known to be too long: ranks that
// are left out would only make the others wait.
std::optional<WalkedWork> work_below(const Plan& plan,
                                     const StepLimit& limit,
                                     const PriceList& prices);

// Returns only the step time of the plan's prediction. It takes less time than a prediction,
// because it places no buffers in the arena if operations run one after the other.
double predicted_step_s(const Plan& plan, const PriceList& prices);

// Returns the time of the forward pass of a mini-batch, as `cnnexec --infer` runs it. No
// communication is hidden.
double predicted_inference_s(const Plan& plan, const PriceList& prices);

}  // namespace cnnplan
