// Lists what a training carries from step to step: weights, momentum and running values.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "executor/step/parameter_store.hpp"
#include "planner/plan/plan.hpp"

namespace cnnplan {

// Describes one rank's slice of a tensor of the state.
struct StateTensor {
  std::string name;  // "/conv1/weight", "/conv1/weight_momentum", "/bn1/mean"
  LayerIndex layer;
  Shape shape;          // the whole tensor's; (1, 1, 1, 1, C) for running values
  Box box;              // this rank's slice
  SlotIndex slot;       // -1: running values
  bool second = false;  // momentum or variance; else weight or mean

  bool is_running() const { return slot < 0; }
};

// All ranks get the tensors in one order.
std::vector<StateTensor> state_tensors(const ParameterStore& store, const Network& network);
// Calls take(values) for the slices of the tensor's box, which follow each other in row-major
// order.
// @pre a momentum in shards was made whole (ParameterStore::set_whole_momentum)
void for_each_slice(const ParameterStore& store,
                    const StateTensor& tensor,
                    const std::function<void(const std::vector<double>& values)>& take);
// Asks for the values of each slice of the tensor's box in turn.
void set_values(ParameterStore& store, const StateTensor& tensor, const SliceSource& values);

std::vector<LayerIndex> batch_norms(const Network& network);
// Returns the elements of a layer's output that a rank owns, divided by all; replicas count on
// every rank.
double own_share(const Plan& plan, LayerIndex layer, int rank);

}  // namespace cnnplan
