// Computes the shape of the outputs of fully connected layers.
#include "planner/network/layers/fully_connected.hpp"

#include "planner/network/rules/window_rules.hpp"

namespace cnnplan {

Shape sample_shape(const FullyConnected& layer,
                   const std::vector<Shape>& inputs,
                   const LayerPlace& place) {
  place.require(layer.outputs >= 1, "outputs", layer.outputs, "at least 1");
  return windowed_shape(whole_image(inputs[0]), inputs[0], layer.outputs);
}

}  // namespace cnnplan
