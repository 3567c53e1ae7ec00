// Finds the first layer without kernels and names it.
#include "planner/plan/planned_layers.hpp"

#include "planner/base/error.hpp"

namespace cnnplan {

void require_kernels(const Network& network, const std::string& file, const std::string& pointer) {
  for (const LayerIndex i : network.layers().indices()) {
    const Layer& layer = network.layer(i);
    const auto* const planned = std::get_if<Pointwise>(&layer.parameters);
    if (planned == nullptr) continue;
    throw InputError({.file = file,
                      .pointer = pointer + "/layers/" + std::to_string(i) + "/kind",
                      .value = "pointwise, for the operator " + planned->operation +
                               " of the layer '" + layer.name + "', which no kernel computes",
                      .allowed = "kinds with kernels; networks of 'cnnplan import --planning' can "
                                 "only be planned, explained and simulated"});
  }
}

}  // namespace cnnplan
