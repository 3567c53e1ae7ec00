// Finds a checkpoint and checks that a training can continue from it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "executor/comm/communicator.hpp"
#include "planner/run/checkpoint.hpp"

namespace cnnplan {

// Returns the contents of the checkpoint file of the folder on all ranks. Rank 0 reads it. This
// call is collective and blocks. If reading fails, all ranks throw.
// @throws InputError for the contents; IoError, or InputError for no regular file, on rank 0, and
// an Error with its exit code and message on other ranks
Checkpoint read_checkpoint(const std::string& folder, const Communicator& world);
// Reads the file as read_checkpoint does, and returns nothing if the folder has no checkpoint. This
// call is collective. @throws as read_checkpoint()
std::optional<Checkpoint> find_checkpoint(const std::string& folder, const Communicator& world);

// Lists what a training must have in common with the training that it continues.
struct TrainingIdentity {
  const Network& network;
  std::int64_t batch = 1;  // global mini-batch
  std::uint64_t seed = 1;
};
// Lists what must fit the checkpoint once the data are open.
struct DataIdentity {
  std::int64_t samples = 0;  // samples of one pass
  std::int64_t steps = 0;    // from the very beginning to the end
};
// Compares network, batch and seed. `file` names the checkpoint in messages.
// @throws InputError with the first difference; for networks it names the layer
void require_same_training(const Checkpoint& checkpoint,
                           const std::string& file,
                           const TrainingIdentity& training);
// Compares samples and steps. @throws InputError, also for a checkpoint after the last step
void require_same_data(const Checkpoint& checkpoint,
                       const std::string& file,
                       const DataIdentity& data);

// Checks the size and the digest of all parts, some of them on each rank. This call is collective
// and blocks, and all ranks throw (on_every_rank).
// @throws InputError that names a part which is missing or differs from what was written; IoError
void check_parts(const std::string& folder,
                 const Checkpoint& checkpoint,
                 const Communicator& world);

}  // namespace cnnplan
