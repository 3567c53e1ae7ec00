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

  // True for a mean or variance of a batch norm, and false for a parameter or its momentum.
  bool is_running() const { return slot < 0; }
};

// Returns this rank's slices of all tensors of the state. All ranks get the tensors in the same
// order.
std::vector<StateTensor> state_tensors(const ParameterStore& store, const Network& network);
// Calls take(values) for each piece of the tensor's slice (ParameterStore::slices). The pieces
// follow each other in row-major order. Running values are one piece.
// @pre a momentum in shards was made whole (ParameterStore::set_whole_momentum)
void for_each_slice(const ParameterStore& store,
                    const StateTensor& tensor,
                    const std::function<void(const std::vector<double>& values)>& take);
// Sets the tensor's slice. It asks `values` for each of its pieces in turn.
void set_values(ParameterStore& store, const StateTensor& tensor, const SliceSource& values);

// Returns the batch norms of a network, in the order of its layers.
std::vector<LayerIndex> batch_norms(const Network& network);
// Returns the number of elements of a layer's output that a rank owns, as a share of all elements.
// Replicas of one block count on every rank that has one.
double own_share(const Plan& plan, LayerIndex layer, int rank);

}  // namespace cnnplan
