// Collects what every step measured and summarises it over steps and ranks.
#pragma once

#include <vector>

#include "executor/comm/communicator.hpp"
#include "executor/training/step_runner.hpp"
#include "planner/model/run.hpp"

namespace cnnplan {

class RunRecorder {
 public:
  RunRecorder(const Schedule& schedule, const Communicator& world)
      : schedule_(schedule), world_(world) {}

  // Adds the last step of `runner`.
  void record(const StepRunner& runner);
  // Fills `step` and `operations` of the report, on rank 0 only. Collective.
  void summarize_into(RunReport& report) const;

 private:
  const Schedule& schedule_;
  const Communicator& world_;
  std::vector<double> step_times_s_;
  std::vector<double> operation_times_s_;  // step after step
};

}  // namespace cnnplan
