// Decides which steps of a training count for its times, and records them.
#pragma once

#include <cstdint>

#include "executor/step/step_runner.hpp"
#include "executor/training/run_recorder.hpp"
#include "executor/training/training_context.hpp"

namespace cnnplan {

// Times the steps of one schedule. Warmup steps do not count, nor do the first steps with
// Graphs::automatic on a GPU. If fewer than two steps would then be left, only the warmup is left
// out, or nothing.
class StepTimes {
 public:
  // Keeps references to the schedule, to `network`, which is its plan's, and to the communicator of
  // the context. The schedule runs in the steps of the range `steps`, whose end is the end of the
  // training.
  StepTimes(const TrainingContext& context,
            const Schedule& schedule,
            const Network& network,
            const Range& steps);

  // Says what a step measures: itself or its operations.
  Timing timing_of(std::int64_t step) const;
  // Records the last step of `runner`, if it counts. This call is collective.
  void record(std::int64_t step, const StepRunner& runner);
  // Fills `step` and `operations` of the report on rank 0. This call is collective.
  void summarize_into(RunReport& report) const { recorder_.summarize_into(report); }

 private:
  bool uses_graphs_;
  Range counted_;                // steps
  Range traced_;                 // steps that measure their operations
  bool has_whole_step_ = false;  // one at least of the counted steps measures itself
  RunRecorder recorder_;
};

}  // namespace cnnplan
