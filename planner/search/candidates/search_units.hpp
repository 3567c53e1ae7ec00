// Groups layers that get one mesh together, because none has a reason to leave its input's mesh.
#pragma once

#include <vector>

#include "planner/network/network.hpp"

namespace cnnplan {

// Holds the layers that get one mesh together, in network order.
struct SearchUnit {
  std::vector<LayerIndex> layers;
  // Returns the layer that chooses the split.
  LayerIndex head() const { return layers.front(); }
};

// Returns the units of a network, ordered by their heads. Every layer is in one unit. Layers with
// LayerTraits::chooses_split begin a unit, such as convolutions and the loss. Other layers, such as
// ReLU and add, inherit the mesh of the input that comes last in network order. Source: Dryden et
// al. 2019, section V-B, where layers inherit the distribution of their parent.
std::vector<SearchUnit> search_units(const Network& network);

}  // namespace cnnplan
