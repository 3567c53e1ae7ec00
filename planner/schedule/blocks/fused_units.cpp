// Fuses layers, and passes properties on from layer to layer.
#include "planner/schedule/blocks/fused_units.hpp"

#include <algorithm>

namespace cnnplan {

bool needs_dense_blocks(const LayerTraits& traits) {
  return traits.has_window;
}

bool has_one_dense_reader(const Network& network, LayerIndex samples) {
  if (!std::holds_alternative<Input>(network.layer(samples).parameters)) return false;
  const auto& readers = network.consumers_of(samples);
  return readers.size() == 1 &&
         needs_dense_blocks(traits_of(network.layer(readers.front()).parameters));
}

FusedUnits::FusedUnits(const Plan& plan)
    : plan_(plan), units_(fuse(plan)), sliced_gradients_(sliced_gradients(plan.network)) {
  const Network& network = plan.network;
  std::stable_sort(
      units_.begin(), units_.end(), [](const Unit& a, const Unit& b) { return a.last < b.last; });
  unit_indices_.resize(network.layers().size());
  for (const UnitIndex i : units_.indices()) {
    for (LayerIndex layer : layers_of(network, units_[i])) unit_indices_[layer] = i;
  }
  for (const LayerIndex layer : network.layers().indices()) {
    const auto& inputs = network.inputs_of(layer);
    requires_gradient_.push_back(
        network.parameter_count(layer) > 0 ||
        std::any_of(inputs.begin(), inputs.end(), [&](auto i) { return requires_gradient(i); }));
  }
  needs_dense_gradient_.resize(network.layers().size());
  for (const Unit& unit : units_) needs_dense_gradient_[unit.last] = needs_dense_gradient(unit);
}

// @pre the result is known for the inputs of the unit
bool FusedUnits::needs_dense_gradient(const Unit& unit) const {
  const LayerParameters& parameters = plan_.network.layer(unit.head).parameters;
  if (unit.relu) return false;
  if (needs_dense_blocks(traits_of(parameters))) return true;
  if (!std::holds_alternative<Add>(parameters) && !unit.residual) return false;
  for (std::size_t input = 0; input < unit.inputs.size(); ++input) {
    const bool hands_on = unit.residual || shares_gradient(parameters, input);
    if (hands_on && needs_dense_gradient(unit.inputs[input])) return true;
  }
  return false;
}

ReadSignature FusedUnits::read_signature(LayerIndex reader, std::size_t input) const {
  const Network& network = plan_.network;
  const LayerIndex source = network.inputs_of(reader).at(input);
  const auto is_dense = [&network](LayerIndex layer) {
    return needs_dense_blocks(traits_of(network.layer(layer).parameters));
  };
  ReadSignature signature{.reader = signature_of(network, reader, input, plan_.batch),
                          .gradient_use = gradient_use(source, reader),
                          .requires_gradient = requires_gradient(source),
                          .may_load_needed = has_one_dense_reader(network, source),
                          .is_dense = is_dense(source),
                          .is_dense_when_fused = is_dense(unit_of(source).head),
                          .readers = static_cast<int>(network.consumers_of(source).size())};
  signature.gradient_use.shared = shares_gradient(network.layer(reader).parameters, input);
  return signature;
}

}  // namespace cnnplan
