// Saves the state of a training so that the newest complete checkpoint always remains readable.
#pragma once

#include <cstdint>
#include <string>

#include "executor/comm/communicator.hpp"
#include "executor/step/parameter_store.hpp"
#include "planner/plan/plan.hpp"
#include "planner/run/checkpoint.hpp"

namespace cnnplan {

// Writes the checkpoints of one training into one folder.
class CheckpointWriter {
 public:
  // Keeps a reference to `world`. `generation` is the generation of the checkpoint in the folder,
  // or 0 if there is none. The folder is made if it does not exist, and files that earlier
  // trainings left over are removed. All calls are collective, and all ranks throw if one does
  // (on_every_rank).
  // @throws IoError, also when a rank does not see the files of rank 0 in the folder
  CheckpointWriter(const std::string& folder, std::int64_t generation, const Communicator& world);

  // Writes a checkpoint. Every rank writes a part, and ranks that hold equal slices divide them
  // among themselves. checkpoint.json is written last, and then the parts of the previous
  // checkpoint are removed. `progress` has all fields except those set here: generation, element,
  // parts, tensors.
  // @throws IoError; the previous checkpoint then stays valid, or this one has replaced it
  void write(const Checkpoint& progress, const Plan& plan, const ParameterStore& store);

  const std::string& folder() const { return folder_; }

 private:
  void commit(const Checkpoint& checkpoint) const;

  std::string folder_;
  std::int64_t generation_;
  const Communicator& world_;
};

}  // namespace cnnplan
