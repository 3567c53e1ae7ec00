// Runs the steps of a training, and the gradient checks and evaluations between them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "executor/checkpoint/checkpoint_writer.hpp"
#include "executor/data/data_source.hpp"
#include "executor/step/gather_shards.hpp"
#include "executor/step/groups.hpp"
#include "executor/step/parameter_store.hpp"
#include "executor/step/step_runner.hpp"
#include "executor/training/gradient_check.hpp"
#include "executor/training/run_recorder.hpp"
#include "executor/training/stop_signals.hpp"
#include "executor/training/trainer.hpp"

namespace cnnplan {

// Borrows everything that the steps work on.
struct Workplace {
  const TrainingOptions& options;
  const TrainingCallbacks& callbacks;
  const Communicator& world;
  Backend& backend;
  ParameterStore& parameters;
  Groups& groups;
  DataSource& data;
  DataSource* test;   // null: no evaluation
  const Plan& given;  // before cycles were raised
  const std::string& given_sha256;
  CheckpointWriter* checkpoints;  // null: none are written
  const StopSignals& signals;
  std::int64_t first_step = 0;  // an earlier training did the steps before it
};

double loss_scale_of(const TrainingOptions& options, Precision precision);

// Returns the number of steps of a training from the very beginning, for data of `steps_per_pass`.
std::int64_t step_count(const TrainingOptions& options, std::int64_t steps_per_pass);

// Returns the memory that a training needs on a rank. Steps, gradient checks and evaluations run
// one after the other.
std::int64_t needed_bytes(const Plan& plan,
                          const Schedule& schedule,
                          const TrainingOptions& options);

class TrainingSteps {
 public:
  // @pre `schedule` belongs to `plan`, and the parameters are made for it
  TrainingSteps(const Workplace& work, Plan plan, Schedule schedule);
  TrainingSteps(const TrainingSteps&) = delete;
  TrainingSteps& operator=(const TrainingSteps&) = delete;

  // Runs all steps from the first one on. Adds the losses, and the results on test data after each
  // epoch except the last, and fills in the times of the last schedule. This call is collective.
  // @throws NotFiniteError; InfeasibleError when more cycles need more memory than there is;
  // PreemptedError; IoError
  void run(RunReport& report);

  // Gives every rank the average of all ranks' running values. This call is collective.
  void average_running_values();

  // Makes one pass over the test data, if there is any. This call is collective.
  // @pre running values are averaged
  // @post runner() is null, because the memory for a step and for an evaluation is not held at once
  void evaluate(RunReport& report);

  // Plan, schedule and runner belong to the last step.
  const Plan& plan() const { return plan_; }
  const Schedule& schedule() const { return schedule_; }
  const StepRunner* runner() const { return runner_ ? &*runner_ : nullptr; }  // null: no step ran

 private:
  StepContext context() const;
  // Frees the runner; the next one continues with the states of its chains.
  void drop_runner();
  Sharded sharded() const;
  StepState state_of(std::int64_t step) const;
  // Checks weights and running values. @throws NotFiniteError
  void require_finite(std::int64_t done) const;
  void run_step(std::int64_t step, RunReport& report);
  Timing timing_of(std::int64_t step) const;
  void record(std::int64_t step);
  bool begins_epoch(std::int64_t step) const;  // false for the first epoch

  void save_or_stop(std::int64_t done, const RunReport& report);
  bool is_checkpoint_due(std::int64_t done) const;
  Checkpoint progress(std::int64_t done, const RunReport& report) const;

  bool is_checked(std::int64_t step) const;
  void check_gradient(std::int64_t step, RunReport& report);
  bool holds(const GradientCheck& check) const;
  Plan raised(const Plan& plan) const;
  void tell(const GradientCheck& check, RunReport& report) const;
  void change_to(const Plan& plan, std::int64_t step);

  Workplace work_;
  Plan plan_;
  Schedule schedule_;
  std::int64_t steps_;
  std::int64_t first_counted_ = 0;    // the first step whose time counts
  std::optional<StepRunner> runner_;  // none during a check or an evaluation
  ChainStates states_;                // states of the previous runner, while there is none
  std::optional<GradientCheck> first_check_;
  std::optional<RunRecorder> recorder_;
};

}  // namespace cnnplan
