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
  // True: the rank gets its own running values; else their average over ranks, weighted by the
  // shares of the channels' elements that these had (StoredSlice::share).
  bool same_plan = false;
  int rank = 0;  // of this process
};
// Loads weights, momentum and running values of this rank. This call is not collective.
// @pre the checkpoint is of the store's network, check_parts passes
// @throws IoError; InputError for a tensor that is missing, or has a value that no training saves
void load_state(const Resumption& from, const Network& network, ParameterStore& store);

}  // namespace cnnplan
