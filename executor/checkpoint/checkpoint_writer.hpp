// Saves the state of a training, so that a checkpoint is there at every moment once one is.
#pragma once

#include <cstdint>
#include <string>

#include "executor/comm/communicator.hpp"
#include "executor/step/parameter_store.hpp"
#include "planner/plan/plan.hpp"
#include "planner/run/checkpoint.hpp"

namespace cnnplan {

class CheckpointWriter {
 public:
  // `generation`: of the checkpoint that is in the folder, 0 where there is none. What others left
  // over is removed. Collective, as all that follows; all ranks throw the same error.
  // @throws IoError
  CheckpointWriter(const std::string& folder, std::int64_t generation, const Communicator& world);

  // Every rank writes a part; ranks that hold the same slices share them out. checkpoint.json comes
  // last, then the parts of the checkpoint before go. `progress`: all but the fields that this
  // fills: generation, element, parts, tensors. @throws IoError: the one before is still there
  void write(const Checkpoint& progress, const Plan& plan, const ParameterStore& store);

  const std::string& folder() const { return folder_; }

 private:
  void commit(const Checkpoint& checkpoint) const;

  std::string folder_;
  std::int64_t generation_;
  const Communicator& world_;
};

}  // namespace cnnplan
