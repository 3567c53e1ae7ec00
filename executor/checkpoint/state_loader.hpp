// The state of a checkpoint on its way to the ranks, under its plan or another one.
#pragma once

#include <string>

#include "executor/step/parameter_store.hpp"
#include "planner/run/checkpoint.hpp"

namespace cnnplan {

// Where a training goes on.
struct Resumption {
  const std::string& folder;
  const Checkpoint& checkpoint;
  bool same_plan = false;  // ranks keep the running values that they had, else take the average
  int rank = 0;
};
// Weights, momentum and running values of this rank. @pre the checkpoint is of the store's network
// @throws IoError; InputError for a tensor that is not there
void load_state(const Resumption& from, const Network& network, ParameterStore& store);

}  // namespace cnnplan
