// Chooses the timing of each step, because graphs cannot measure a step and its operations at once.
#include "executor/training/step_times.hpp"

#include <algorithm>

namespace cnnplan {
namespace {

// Events between the kernels of a graph cost time, so a step measures either itself or its
// operations. Operations of every fourth step suffice for a median. With fewer than four counted
// steps, the last one measures operations.
constexpr std::int64_t steps_per_timed_operations = 4;

bool uses_graphs(const TrainingContext& context) {
  return context.options.graphs != Graphs::off && !context.backend.device().is_host();
}

// Returns the first of `steps` steps whose time counts. Warmup steps do not count, nor do steps in
// which --graphs auto tries both ways. If too few steps would remain, only the warmup is left out,
// or nothing.
std::int64_t first_counted(const TrainingContext& context, std::int64_t steps) {
  const std::int64_t warmup = context.options.warmup;
  const bool settles = uses_graphs(context) && context.options.graphs == Graphs::automatic;
  const std::int64_t settled = warmup + (settles ? GraphChoice::settling_steps : 0);
  constexpr std::int64_t least_counted = 2;
  if (steps >= settled + least_counted) return settled;
  return steps > warmup ? warmup : 0;
}

}  // namespace

StepTimes::StepTimes(const TrainingContext& context,
                     const Schedule& schedule,
                     const Network& network,
                     const Range& steps)
    : uses_graphs_(uses_graphs(context)),
      counted_{steps.begin + first_counted(context, steps.end - steps.begin), steps.end},
      traced_(context.options.traced_steps.value_or(Range{})),
      recorder_(schedule, network, context.world) {
  if (!uses_graphs_) return;
  std::int64_t step = counted_.begin;
  while (step < counted_.end && timing_of(step) == Timing::operations) ++step;
  has_whole_step_ = step < counted_.end;
}

Timing StepTimes::timing_of(std::int64_t step) const {
  const bool is_traced = traced_.begin <= step && step < traced_.end;
  if (!uses_graphs_ || is_traced) return Timing::operations;
  const std::int64_t index = step - counted_.begin;
  const std::int64_t period = std::min(steps_per_timed_operations, counted_.size());
  const bool times_operations = index >= 0 && index % period == period - 1;
  return times_operations ? Timing::operations : Timing::step;
}

// If all steps that count measure operations, they are recorded both as steps and by operations.
void StepTimes::record(std::int64_t step, const StepRunner& runner) {
  if (step < counted_.begin) return;
  const bool times_operations = timing_of(step) == Timing::operations;
  if (times_operations) recorder_.record_operations(runner);
  if (!times_operations || !has_whole_step_) recorder_.record_step(runner);
}

}  // namespace cnnplan
