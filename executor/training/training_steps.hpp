// Runs the steps of a training, and the gradient checks and evaluations between them.
#pragma once

#include <cstdint>
#include <optional>

#include "executor/step/gather_shards.hpp"
#include "executor/step/step_runner.hpp"
#include "executor/trace/step_tracer.hpp"
#include "executor/training/cycle_control.hpp"
#include "executor/training/step_times.hpp"
#include "executor/training/training_context.hpp"

namespace cnnplan {

// Owns the schedule and the runner of a training, which change when cycles are raised.
class TrainingSteps {
 public:
  // Keeps the references of the context. @pre `schedule` belongs to `plan`, and the parameters are
  // made for it
  TrainingSteps(const TrainingContext& context, Plan plan, Schedule schedule);
  TrainingSteps(const TrainingSteps&) = delete;
  TrainingSteps& operator=(const TrainingSteps&) = delete;

  // Runs all steps from the first one on. Adds the losses, and the results on test data after each
  // epoch except the last, and fills in the times of the last schedule. This call is collective.
  // @throws NotFiniteError; InfeasibleError when more cycles need more memory than there is;
  // PreemptedError; InputError for bad values in data files; IoError; Error (wrong_result) when
  // ranks hold different values of one parameter; as StepRunner
  void run(RunReport& report);

  // Gives every rank the average of all ranks' running values. This call and evaluate() are
  // collective and block.
  void average_running_values();

  // Makes one pass over the test data, if there is any, and adds the result to the report.
  // @throws NotFiniteError; as cnnplan::evaluate()
  // @pre running values are averaged
  // @post with test data, runner() is null, because the memory for a step and for an evaluation is
  // not held at once
  void evaluate(RunReport& report);

  // These functions return the plan, the schedule and the runner of the last step.
  const Plan& plan() const { return plan_; }
  const Schedule& schedule() const { return schedule_; }
  const StepRunner* runner() const { return runner_ ? &*runner_ : nullptr; }  // null: no last step

 private:
  StepContext step_context() const;
  // Frees the runner; the next one continues with the states of its chains.
  void drop_runner();
  Sharded sharded() const;
  StepState state_of(std::int64_t step) const;
  // Checks weights and running values. @throws NotFiniteError
  void require_finite(std::int64_t done) const;
  // Compares parameters between ranks, if that is due. @throws Error (wrong_result)
  void compare_replicas(std::int64_t done) const;
  void run_step(std::int64_t step, RunReport& report);
  // Runs a step to the end, or to the check before its updates. @throws NotFiniteError
  void run_checked(std::int64_t step);
  bool begins_epoch(std::int64_t step) const;  // false for the first epoch

  void save_or_stop(std::int64_t done, const RunReport& report);
  bool is_checkpoint_due(std::int64_t done) const;
  Checkpoint progress(std::int64_t done, const RunReport& report) const;

  void check_gradient(std::int64_t step, RunReport& report);
  void change_to(const Plan& plan, std::int64_t step);

  // Begins to trace if the options say so. @throws as require_traced_steps() and StepTracer
  void start_tracing();
  // Gives the trace up, since steps have other operations than the plan.
  void stop_tracing();

  TrainingContext context_;
  Plan plan_;
  Schedule schedule_;
  std::int64_t steps_;
  std::optional<StepRunner> runner_;  // none during a check or an evaluation
  SavedChainStates states_;           // states of the previous runner, while there is none
  CycleControl cycles_;
  std::optional<StepTimes> times_;
  std::optional<StepTracer> tracer_;  // none: nothing is traced
};

}  // namespace cnnplan
