// Collects the times of the last steps and summarises them over steps and ranks.
#pragma once

#include <cstddef>
#include <vector>

#include "executor/comm/communicator.hpp"
#include "executor/step/step_runner.hpp"
#include "planner/run/run.hpp"

namespace cnnplan {

// Keeps the times of at most most_steps steps of one schedule.
class RunRecorder {
 public:
  // Keeps references to all arguments. `network` is the one of the schedule's plan.
  RunRecorder(const Schedule& schedule, const Network& network, const Communicator& world)
      : schedule_(schedule), network_(network), world_(world) {}

  // This number of steps is enough for a median, and bounds memory and the messages of
  // summarize_into.
  static constexpr std::size_t most_steps = 1000;

  // record_step() adds the time of the last step of `runner`, and record_operations() adds the
  // times of its operations. They replace the oldest times when there are most_steps. record_step()
  // is collective.
  void record_step(const StepRunner& runner);
  void record_operations(const StepRunner& runner);
  // Fills `step` and `operations` of the report on rank 0, unless no step was recorded. This call
  // is collective and blocks.
  void summarize_into(RunReport& report) const;

 private:
  const Schedule& schedule_;
  const Network& network_;
  const Communicator& world_;
  std::size_t recorded_steps_ = 0;
  std::size_t recorded_operations_ = 0;
  std::vector<double> step_times_s_;
  std::vector<double> operation_times_s_;  // step after step
};

}  // namespace cnnplan
