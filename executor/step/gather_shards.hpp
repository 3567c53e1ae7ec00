// Makes parameters whole that a sharded update leaves in shards. With other plans, the functions
// gather nothing.
#pragma once

#include "executor/step/groups.hpp"
#include "executor/step/parameter_store.hpp"
#include "planner/schedule/schedule.hpp"

namespace cnnplan {

// Refers to what is gathered. @pre `store` was made for `schedule`, or for one with equal gradient
// ranges
struct Sharded {
  const Schedule& schedule;
  ParameterStore& store;
  Groups& groups;
};

// Gathers the weights and their copies after a step that updated them. Both functions are
// collective over all ranks, and wait for the device.
void gather_weights(const Sharded& sharded);
// Gathers the sums of gradients after a step.
void gather_gradients(const Sharded& sharded);

// While this object lives, ParameterStore::plain() returns momentum of all shards. It takes memory
// of the host.
class WholeMomentum {
 public:
  // It is collective over all ranks, and blocks. It keeps a reference to the store.
  explicit WholeMomentum(const Sharded& sharded);
  ~WholeMomentum() { store_.set_whole_momentum({}); }
  WholeMomentum(const WholeMomentum&) = delete;
  WholeMomentum& operator=(const WholeMomentum&) = delete;

 private:
  ParameterStore& store_;
};

}  // namespace cnnplan
