// Where a training begins: at its first step, or where a checkpoint left it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "executor/checkpoint/checkpoint_writer.hpp"
#include "executor/data/data_source.hpp"
#include "executor/training/trainer.hpp"
#include "planner/run/checkpoint.hpp"

namespace cnnplan {

struct TrainingOrigin {
  std::optional<Checkpoint> checkpoint;  // none: the first step
  std::string plan_sha256;               // of the plan given; empty where nobody asks
  bool same_plan = false;                // as the checkpoint's

  std::int64_t step() const { return checkpoint ? checkpoint->step : 0; }
};

// Collective; all ranks throw the same error.
// @throws IoError; InputError for a checkpoint of another network, batch or seed
TrainingOrigin find_origin(const Plan& plan,
                           const TrainingOptions& options,
                           const Communicator& world);

// With the cycles that gradient checks had raised.
Plan plan_from(const TrainingOrigin& origin, const Plan& plan);
// With the loss scale that this plan had, unless another one is given.
TrainingOptions options_from(const TrainingOrigin& origin, const TrainingOptions& options);

// Collective. @throws InputError for a checkpoint of other data or beyond the last step, and for a
// part that is not what was written
void check_origin(const TrainingOrigin& origin,
                  const TrainingOptions& options,
                  const DataSource& data,
                  const Communicator& world);

// Nothing where none are wanted. Collective. @throws InputError where the folder has a checkpoint
// with which this training does not go on; IoError
std::optional<CheckpointWriter> open_checkpoints(const TrainingOrigin& origin,
                                                 const TrainingOptions& options,
                                                 const Communicator& world);

// What is not as it was before the checkpoint. `note` may be empty.
void tell_changes(const TrainingOrigin& origin,
                  const Plan& plan,
                  const TrainingOptions& options,
                  const DataSource& data,
                  const std::function<void(const std::string&)>& note);

}  // namespace cnnplan
