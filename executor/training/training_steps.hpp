// The steps of a training, and the gradient checks between them.
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

// What the steps work on. All are borrowed.
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
  std::int64_t first_step = 0;  // those before were done by a training that this one goes on with
};

double loss_scale_of(const TrainingOptions& options, Precision precision);

// All steps of a training, from the very beginning, over data of so many steps per pass.
std::int64_t step_count(const TrainingOptions& options, std::int64_t steps_per_pass);

// Memory of a rank of a training: its steps, gradient checks and evaluation follow each other.
std::int64_t needed_bytes(const Plan& plan,
                          const Schedule& schedule,
                          const TrainingOptions& options);

class TrainingSteps {
 public:
  // @pre `schedule` is that of `plan`, and the parameters are made for it
  TrainingSteps(const Workplace& work, Plan plan, Schedule schedule);
  TrainingSteps(const TrainingSteps&) = delete;
  TrainingSteps& operator=(const TrainingSteps&) = delete;

  // All of them from the first on. Adds to the losses and to what the test data gave after each
  // epoch but the last, and fills the times of the last schedule. Collective. @throws
  // NotFiniteError; InfeasibleError for more cycles that need more memory than there is;
  // PreemptedError; IoError
  void run(RunReport& report);

  // Each rank's running values become those of all. Collective.
  void average_running_values();

  // One pass of the test data, if there are any. Collective. @pre running values are averaged
  // @post runner() is gone: the memory of a step and that of an evaluation follow each other
  void evaluate(RunReport& report);

  // Of the last step.
  const Plan& plan() const { return plan_; }
  const Schedule& schedule() const { return schedule_; }
  const StepRunner* runner() const { return runner_ ? &*runner_ : nullptr; }  // null: none was run

 private:
  StepContext context() const;
  // Until another is made, which goes on with the states of its chains.
  void drop_runner();
  Sharded sharded() const;
  StepState state_of(std::int64_t step) const;
  // Of weights and running values. @throws NotFiniteError
  void require_finite(std::int64_t done) const;
  void run_step(std::int64_t step, RunReport& report);
  Timing timing_of(std::int64_t step) const;
  void record(std::int64_t step);
  bool begins_epoch(std::int64_t step) const;  // not the first

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
  std::int64_t first_counted_ = 0;    // step
  std::optional<StepRunner> runner_;  // none during a check or an evaluation
  ChainStates states_;                // of the runner before, while there is none
  std::optional<GradientCheck> first_check_;
  std::optional<RunRecorder> recorder_;
};

}  // namespace cnnplan
