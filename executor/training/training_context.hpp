// Declares what the parts of a training borrow, and what they compute from its options.
#pragma once

#include <cstdint>
#include <string>

#include "executor/checkpoint/checkpoint_writer.hpp"
#include "executor/data/data_source.hpp"
#include "executor/step/groups.hpp"
#include "executor/step/parameter_store.hpp"
#include "executor/training/stop_signals.hpp"
#include "executor/training/trainer.hpp"

namespace cnnplan {

// Borrows everything that the steps work on.
struct TrainingContext {
  const TrainingOptions& options;
  const TrainingCallbacks& callbacks;
  const Communicator& world;
  Backend& backend;
  ParameterStore& parameters;
  Groups& groups;
  DataSource& data;
  DataSource* test;   // null: no evaluation
  const Plan& given;  // the plan before cycles were raised
  const std::string& given_sha256;
  CheckpointWriter* checkpoints;  // null: none are written
  const StopSignals& signals;
  bool equal_bits = true;       // kernels give the same bits on all ranks
  std::int64_t first_step = 0;  // an earlier training did the steps before it
};

// Returns the loss scale of the options; if this is 0, 1024 for fp16, else 1.
double loss_scale_of(const TrainingOptions& options, Precision precision);
// Returns the state with which a training runs `step`, which counts from 0.
StepState state_of(std::int64_t step, const TrainingOptions& options, Precision precision);

// Returns the number of steps of a training from the very beginning, for data of `steps_per_pass`.
// @throws InputError, without a file, on overflow
std::int64_t step_count(const TrainingOptions& options, std::int64_t steps_per_pass);

}  // namespace cnnplan
