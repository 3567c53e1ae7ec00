// What layers make of the shapes of their inputs.
#pragma once

#include <vector>

#include "planner/network/layer_place.hpp"
#include "planner/network/network.hpp"

namespace cnnplan {

// Shape of one sample after a layer, given those of its inputs; checks the layer's own parameters.
// @throws InputError @pre the layer has as many inputs as its kind needs
Shape sample_shape(const LayerParameters& parameters,
                   const std::vector<Shape>& inputs,
                   const LayerPlace& place);

}  // namespace cnnplan
