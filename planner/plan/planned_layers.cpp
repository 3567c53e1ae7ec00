// Finds the first layer without kernels and names it.
#include "planner/plan/planned_layers.hpp"

#include "planner/base/error.hpp"

namespace cnnplan {

std::optional<LayerIndex> planned_only_layer(const Network& network) {
  for (const LayerIndex i : network.layers().indices()) {
    if (std::holds_alternative<Pointwise>(network.layer(i).parameters)) return i;
  }
  return std::nullopt;
}

void require_kernels(const Network& network, const std::string& file, const std::string& pointer) {
  const std::optional<LayerIndex> index = planned_only_layer(network);
  if (!index) return;
  const Layer& layer = network.layer(*index);
  const auto& planned = std::get<Pointwise>(layer.parameters);
  throw InputError({.file = file,
                    .pointer = pointer + "/layers/" + std::to_string(*index) + "/kind",
                    .value = "pointwise, for the operator " + planned.operation +
                             " of the layer '" + layer.name + "', which no kernel computes",
                    .allowed = "kinds with kernels; networks of 'cnnplan import --planning' can "
                               "only be planned, explained and simulated"});
}

}  // namespace cnnplan
