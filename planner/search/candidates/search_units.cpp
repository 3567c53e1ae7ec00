// Groups layers that share a split.
#include "planner/search/candidates/search_units.hpp"

#include <algorithm>

namespace cnnplan {

std::vector<SearchUnit> search_units(const Network& network) {
  std::vector<SearchUnit> units;
  IndexedVector<LayerIndex, std::size_t> unit_of;
  for (const LayerIndex layer : network.layers().indices()) {
    const bool chooses = traits_of(network.layer(layer).parameters).chooses_split;
    if (chooses) {
      unit_of.push_back(units.size());
      units.push_back({.layers = {layer}});
      continue;
    }
    const auto& inputs = network.inputs_of(layer);
    const LayerIndex parent = *std::max_element(inputs.begin(), inputs.end());
    unit_of.push_back(unit_of[parent]);
    units[unit_of.back()].layers.push_back(layer);
  }
  return units;
}

}  // namespace cnnplan
