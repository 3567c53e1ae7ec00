// What a training carries from step to step besides the step: weights, momentum and running values.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "executor/step/parameter_store.hpp"
#include "planner/plan/plan.hpp"

namespace cnnplan {

// One rank's slice of a tensor of the state.
struct StateTensor {
  std::string name;  // "/conv1/weight", "/conv1/weight_momentum", "/bn1/mean"
  LayerIndex layer = 0;
  Shape shape;          // whole; as in ParameterSlot, of running values (1, 1, 1, 1, C)
  Box box;              // what of it this rank has
  int slot = -1;        // -1: running values
  bool second = false;  // momentum, variance

  bool is_running() const { return slot < 0; }
};

// In the same order on all ranks.
std::vector<StateTensor> state_tensors(const ParameterStore& store, const Network& network);
// Of its box, row-major.
std::vector<double> values_of(const ParameterStore& store, const StateTensor& tensor);
void set_values(ParameterStore& store, const StateTensor& tensor, std::span<const double> values);

std::vector<LayerIndex> batch_norms(const Network& network);
// Elements of a layer's output that a rank owns, as a part of all; replicas count each.
double own_share(const Plan& plan, LayerIndex layer, int rank);

}  // namespace cnnplan
