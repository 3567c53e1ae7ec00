// Checks the gradient under multigrid during a training, and raises cycles where it is too far off.
#pragma once

#include <cstdint>
#include <optional>

#include "executor/step/step_runner.hpp"
#include "executor/training/training_context.hpp"
#include "planner/plan/plan.hpp"

namespace cnnplan {

// Makes the gradient checks of one training, and keeps the first for comparison.
class CycleControl {
 public:
  // Keeps a reference to `context`.
  explicit CycleControl(const TrainingContext& context) : context_(context) {}

  // Returns true when the gradient is checked before `step`, which counts from 0.
  bool is_due(std::int64_t step, const Plan& plan) const;
  // Compares the gradient under `plan` with the gradient of the layers in order, and adds the check
  // to the report if its errors are finite. If a limit of the options is exceeded, it adds a cycle
  // and checks again. Returns the first plan that meets the limits. If no number of cycles does,
  // this is the plan whose layers run in order. This call is collective and blocks.
  // @pre no runner has memory, so that only one schedule at a time has it
  // @throws InfeasibleError when more cycles need more memory than there is; NotFiniteError without
  // limits, when the gradient is not finite; as gradient_under()
  Plan check(const Plan& plan, const StepContext& step, const StepState& state, RunReport& report);

 private:
  bool holds(const GradientCheck& check, const Plan& plan) const;
  Plan raised(const Plan& plan) const;
  void tell(const GradientCheck& check, RunReport& report) const;

  const TrainingContext& context_;
  std::optional<GradientCheck> first_check_;
};

}  // namespace cnnplan
