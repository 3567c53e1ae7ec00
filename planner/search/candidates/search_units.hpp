// Layers that get one mesh together: what has no reason to be split otherwise than its input.
#pragma once

#include <vector>

#include "planner/network/network.hpp"

namespace cnnplan {

// Layers in network order.
struct SearchUnit {
  std::vector<LayerIndex> layers;
  LayerIndex head() const { return layers.front(); }
};

// Convolutions, fully connected layers, poolings, upsamplings, channel shuffles, the input and the
// loss choose; batch norm, ReLU, dropout, add, concat and slice inherit the mesh of the input whose
// layer is listed last (Dryden et al. 2019, section V-B: other layers inherit the distribution of
// their parent). The loss cannot where that splits channels.
std::vector<SearchUnit> search_units(const Network& network);

}  // namespace cnnplan
