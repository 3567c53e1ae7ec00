// Finds a checkpoint, and whether a training can go on from it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "executor/comm/communicator.hpp"
#include "planner/run/checkpoint.hpp"

namespace cnnplan {

// The checkpoint file of the folder, on all ranks. Collective; all ranks throw the same error.
// @throws IoError, InputError
Checkpoint read_checkpoint(const std::string& folder, const Communicator& world);
// Likewise; nothing where the folder has none.
std::optional<Checkpoint> find_checkpoint(const std::string& folder, const Communicator& world);

// What a training has to have in common with the one that it goes on with.
struct TrainingIdentity {
  const Network& network;
  std::int64_t batch = 1;
  std::uint64_t seed = 1;
};
struct DataIdentity {
  std::int64_t samples = 0;  // of one pass
  std::int64_t steps = 0;    // from the very beginning to the end
};
// `file`: of the checkpoint. @throws InputError with the first difference; of networks, the layer
void require_same_training(const Checkpoint& checkpoint,
                           const std::string& file,
                           const TrainingIdentity& training);
// @throws InputError, also for a checkpoint beyond the last step
void require_same_data(const Checkpoint& checkpoint,
                       const std::string& file,
                       const DataIdentity& data);

// The ranks share out the parts. Collective; all ranks throw.
// @throws InputError naming a part that is missing or not what was written; IoError
void check_parts(const std::string& folder,
                 const Checkpoint& checkpoint,
                 const Communicator& world);

}  // namespace cnnplan
