// Loads the state of a checkpoint into the ranks, under the checkpoint's plan or another one.
#pragma once

#include <string>

#include "executor/step/parameter_store.hpp"
#include "planner/run/checkpoint.hpp"

namespace cnnplan {

// Says from where a training continues.
struct Resumption {
  const std::string& folder;
  const Checkpoint& checkpoint;
  bool same_plan = false;  // true: the rank gets its own running values; else the average of ranks
  int rank = 0;            // of this process
};
// Loads weights, momentum and running values of this rank. This call is not collective.
// @pre the checkpoint is of the store's network, check_parts passes
// @throws IoError; InputError for a tensor that is missing, or has a value that no training saves
void load_state(const Resumption& from, const Network& network, ParameterStore& store);

}  // namespace cnnplan
