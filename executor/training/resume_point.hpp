// Decides where a training begins: at its first step, or at the step of a checkpoint.
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

// Says from where a training goes on.
struct ResumePoint {
  std::optional<Checkpoint> checkpoint;  // none: the first step
  std::string plan_sha256;               // digest of the given plan; empty without checkpoints
  bool same_plan = false;                // the checkpoint has the given plan

  std::int64_t step() const { return checkpoint ? checkpoint->step : 0; }
};

// Reads the checkpoint in TrainingOptions::restart_folder. The result has no checkpoint if the
// option is empty, or if the folder holds none and is also the one to save in. This call is
// collective and blocks, and all ranks throw equal errors.
// @throws IoError; InputError for a checkpoint of another network, batch or seed
ResumePoint find_resume_point(const Plan& plan,
                              const TrainingOptions& options,
                              const Communicator& world);

// Returns the plan with the cycles that earlier gradient checks had raised.
Plan plan_from(const ResumePoint& resume, const Plan& plan);
// Returns the options with the loss scale of the checkpoint, if it has this plan and no loss scale
// is given.
TrainingOptions options_from(const ResumePoint& resume, const TrainingOptions& options);

// Checks that the data fit the checkpoint and that its parts are intact. It does nothing without a
// checkpoint. This call is collective.
// @throws InputError for a checkpoint of other data or after the last step, and for a part that
// differs from what was written; IoError
void check_resume_point(const ResumePoint& resume,
                        const TrainingOptions& options,
                        const DataSource& data,
                        const Communicator& world);

// Returns the writer of checkpoints, or nothing if none are wanted. This call is collective.
// @throws InputError when the folder has a checkpoint from which this training does not continue;
// IoError
std::optional<CheckpointWriter> open_checkpoints(const ResumePoint& resume,
                                                 const TrainingOptions& options,
                                                 const Communicator& world);

// Passes a sentence to `note` about each difference to the training that wrote the checkpoint, such
// as another plan or other options. `note` may be empty.
void tell_changes(const ResumePoint& resume,
                  const Plan& plan,
                  const TrainingOptions& options,
                  const DataSource& data,
                  const std::function<void(const std::string&)>& note);

}  // namespace cnnplan
