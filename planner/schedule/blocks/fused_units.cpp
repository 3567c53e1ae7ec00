// Fusion, and properties from layer to layer.
#include "planner/schedule/blocks/fused_units.hpp"

#include <algorithm>

namespace cnnplan {

bool needs_dense_blocks(const LayerParameters& parameters) {
  return has_window(parameters);
}

bool has_one_dense_reader(const Network& network, LayerIndex samples) {
  if (!std::holds_alternative<Input>(network.layer(samples).parameters)) return false;
  const auto& readers = network.consumers_of(samples);
  return readers.size() == 1 && needs_dense_blocks(network.layer(readers.front()).parameters);
}

FusedUnits::FusedUnits(const Plan& plan)
    : plan_(plan), units_(fuse(plan)), sliced_gradients_(sliced_gradients(plan.network)) {
  const Network& network = plan.network;
  std::stable_sort(
      units_.begin(), units_.end(), [](const Unit& a, const Unit& b) { return a.last < b.last; });
  unit_indices_.resize(network.layers().size());
  for (std::size_t i = 0; i < units_.size(); ++i) {
    for (LayerIndex layer : layers_of(network, units_[i])) unit_indices_[layer] = i;
  }
  for (LayerIndex layer = 0; layer < network.layer_count(); ++layer) {
    const auto& inputs = network.inputs_of(layer);
    requires_gradient_.push_back(
        network.parameter_count(layer) > 0 ||
        std::any_of(inputs.begin(), inputs.end(), [&](auto i) { return requires_gradient(i); }));
  }
  needs_dense_gradient_.resize(network.layers().size());
  for (const Unit& unit : units_) needs_dense_gradient_[unit.last] = needs_dense_gradient(unit);
}

// @pre known for the inputs of the unit
bool FusedUnits::needs_dense_gradient(const Unit& unit) const {
  const LayerParameters& parameters = plan_.network.layer(unit.head).parameters;
  if (unit.relu) return false;
  if (needs_dense_blocks(parameters)) return true;
  if (!std::holds_alternative<Add>(parameters) && !unit.residual) return false;
  for (std::size_t input = 0; input < unit.inputs.size(); ++input) {
    const bool hands_on = unit.residual || shares_gradient(parameters, input);
    if (hands_on && needs_dense_gradient(unit.inputs[input])) return true;
  }
  return false;
}

}  // namespace cnnplan
