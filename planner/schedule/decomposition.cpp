// Blocks layer by layer.
#include "planner/schedule/decomposition.hpp"

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

Decomposition::Decomposition(const Plan& plan)
    : plan_(plan), units_(fuse(plan)), sliced_gradients_(sliced_gradients(plan.network)) {
  const Network& network = plan.network;
  std::stable_sort(
      units_.begin(), units_.end(), [](const Unit& a, const Unit& b) { return a.last < b.last; });
  unit_indices_.resize(network.layers().size());
  for (std::size_t i = 0; i < units_.size(); ++i) {
    for (LayerIndex layer : layers_of(network, units_[i])) {
      unit_indices_[static_cast<std::size_t>(layer)] = i;
    }
  }
  BlockOwnership::Tables tables;
  for (LayerIndex layer = 0; layer < network.layer_count(); ++layer) {
    const auto& inputs = network.inputs_of(layer);
    owned_.push_back(owned_blocks(plan, layer).tabulated(tables));
    needed_.emplace_back();
    for (std::size_t input = 0; input < inputs.size(); ++input) {
      const auto algorithm = plan.layers[static_cast<std::size_t>(layer)].channel_algorithm;
      needed_.back().push_back(
          needed_blocks(network, layer, input, owned_.back(), algorithm).tabulated(tables));
    }
    computed_.push_back(computed_blocks(plan, layer, owned_.back()).tabulated(tables));
    requires_gradient_.push_back(
        network.parameter_count(layer) > 0 ||
        std::any_of(inputs.begin(), inputs.end(), [&](auto i) { return requires_gradient(i); }));
  }
  for (LayerIndex layer = 0; layer < network.layer_count(); ++layer) {
    const bool may_load = has_one_dense_reader(network, layer);
    loads_needed_.push_back(may_load &&
                            cnnplan::loads_needed(owned(layer), needed_by_reader(layer)));
  }
  for (const Unit& unit : units_) exchanges_.push_back(exchanges_of(unit));
  needs_dense_gradient_.resize(network.layers().size());
  for (const Unit& unit : units_) {
    needs_dense_gradient_[static_cast<std::size_t>(unit.last)] = needs_dense_gradient(unit);
  }
}

std::vector<InputExchange> Decomposition::exchanges_of(const Unit& unit) const {
  const bool copies = copies_inputs(plan_.network.layer(unit.head).parameters);
  std::vector<InputExchange> exchanges;
  for (std::size_t input = 0; input < unit.inputs.size(); ++input) {
    const BlockOwnership& have = owned(unit.inputs[input]);
    const BlockOwnership& want = needed(unit, input);
    InputExchange& exchange = exchanges.emplace_back();
    if (copies || exchanges_forward(have, want)) exchange.forward = rule_of(have, want);
    if (copies || exchanges_backward(want, have)) exchange.backward = rule_of(want, have);
  }
  return exchanges;
}

// @pre known for the inputs of the unit
bool Decomposition::needs_dense_gradient(const Unit& unit) const {
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

const Unit& Decomposition::unit_of(LayerIndex layer) const {
  return units_.at(unit_indices_.at(static_cast<std::size_t>(layer)));
}

}  // namespace cnnplan
