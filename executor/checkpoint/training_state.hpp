// Lists what a training carries from step to step: weights, momentum and running values.
#pragma once

#include <span>
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
// Returns the values of the tensor's box in row-major order.
// @pre a momentum in shards was made whole (ParameterStore::set_whole_momentum)
std::vector<double> values_of(const ParameterStore& store, const StateTensor& tensor);
// @pre `values` has as many values as values_of(store, tensor), in row-major order
void set_values(ParameterStore& store, const StateTensor& tensor, std::span<const double> values);

std::vector<LayerIndex> batch_norms(const Network& network);
// Returns the elements of a layer's output that a rank owns, divided by all; replicas count on
// every rank.
double own_share(const Plan& plan, LayerIndex layer, int rank);

}  // namespace cnnplan
