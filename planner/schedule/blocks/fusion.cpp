// Decides which layers are fused, greedily and in layer order.
#include "planner/schedule/blocks/fusion.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace cnnplan {
namespace {

template <typename... Kinds>
bool is_any_of(const Network& network, LayerIndex layer) {
  return (std::holds_alternative<Kinds>(network.layer(layer).parameters) || ...);
}

// True for a ReLU without an upper limit, because kernels of other layers clip at zero only.
bool is_fusible_relu(const Network& network, LayerIndex layer) {
  const auto* relu = std::get_if<Relu>(&network.layer(layer).parameters);
  return relu != nullptr && std::isinf(relu->max);
}

// Returns the only consumer of a layer if it is on the same ranks.
std::optional<LayerIndex> sole_consumer(const Plan& plan, LayerIndex layer) {
  const auto& consumers = plan.network.consumers_of(layer);
  if (consumers.size() != 1) return {};
  const auto plan_of = [&](LayerIndex l) -> const LayerPlan& { return plan.layers[l]; };
  if (!same_ranks(plan_of(consumers[0]), plan_of(layer))) return {};
  return consumers[0];
}

// An add is fused into its later input, so that its other input is computed before it runs. Batch
// norms do not compute scaled adds.
bool takes_add(const Plan& plan, LayerIndex batch_norm, LayerIndex add) {
  if (!is_any_of<Add>(plan.network, add)) return false;
  if (is_scaled(std::get<Add>(plan.network.layer(add).parameters))) return false;
  const auto& inputs = plan.network.inputs_of(add);
  return inputs[0] != inputs[1] && *std::max_element(inputs.begin(), inputs.end()) == batch_norm;
}

Unit unit_of(const Plan& plan, LayerIndex head) {
  const Network& network = plan.network;
  Unit unit{.head = head, .last = head, .inputs = network.inputs_of(head)};
  const Split split = plan.layers[head].split();
  const bool is_convolution = is_any_of<Convolution, FullyConnected>(network, head);
  const bool can_fuse =
      is_convolution ? writes_dense_relu(split) : is_any_of<BatchNorm, Add>(network, head);
  if (!can_fuse) return unit;
  std::optional<LayerIndex> next = sole_consumer(plan, head);
  if (next && is_any_of<BatchNorm>(network, head) && takes_add(plan, head, *next)) {
    const auto& inputs = network.inputs_of(*next);
    unit.inputs.push_back(inputs[0] == head ? inputs[1] : inputs[0]);
    unit.residual = true;
    unit.last = *next;
    next = sole_consumer(plan, *next);
  }
  if (next && is_fusible_relu(network, *next)) {
    unit.relu = true;
    unit.last = *next;
  }
  return unit;
}

}  // namespace

bool writes_dense_relu(const Split& split) {
  const Mesh& mesh = split.mesh;
  return mesh.size(Axis::d) * mesh.size(Axis::h) * mesh.size(Axis::w) == 1 &&
         !sums_over_channels(split);
}

std::vector<LayerIndex> layers_of(const Network& network, const Unit& unit) {
  constexpr std::size_t most_layers = 3;
  std::vector<LayerIndex> layers;
  layers.reserve(most_layers);
  layers.push_back(unit.head);
  while (layers.back() != unit.last) layers.push_back(network.consumers_of(layers.back())[0]);
  return layers;
}

IndexedVector<UnitIndex, Unit> fuse(const Plan& plan) {
  IndexedVector<UnitIndex, Unit> units;
  IndexedVector<LayerIndex, bool> taken(plan.network.layer_count(), false);
  for (const LayerIndex layer : plan.network.layers().indices()) {
    if (taken[layer]) continue;
    units.push_back(unit_of(plan, layer));
    for (LayerIndex member : layers_of(plan.network, units.back())) taken[member] = true;
  }
  return units;
}

}  // namespace cnnplan
