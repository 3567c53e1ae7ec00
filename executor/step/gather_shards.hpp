// Makes whole what a sharded update leaves in shards. Nothing is done for other plans.
#pragma once

#include "executor/step/groups.hpp"
#include "executor/step/parameter_store.hpp"
#include "planner/schedule/schedule.hpp"

namespace cnnplan {

// What all functions here work on; `schedule` is one that the store was made for, or another of the
// same ranges.
struct Sharded {
  const Schedule& schedule;
  ParameterStore& store;
  Groups& groups;
};

// Weights and their copies, after a step that updated them. Collective.
void gather_weights(const Sharded& sharded);
// Their sums over all ranks, after a step. Collective.
void gather_gradients(const Sharded& sharded);

// While this lives, the store's plain momentum is that of all ranks. Takes the memory of the host.
class WholeMomentum {
 public:
  // Collective.
  explicit WholeMomentum(const Sharded& sharded);
  ~WholeMomentum() { store_.set_whole_momentum({}); }
  WholeMomentum(const WholeMomentum&) = delete;
  WholeMomentum& operator=(const WholeMomentum&) = delete;

 private:
  ParameterStore& store_;
};

}  // namespace cnnplan
