// Checks the inputs and the scale of sums.
#include "planner/network/layers/add.hpp"

#include <cmath>
#include <string>

namespace cnnplan {

Shape sample_shape(const Add& layer, const std::vector<Shape>& inputs, const LayerPlace& place) {
  if (!std::isfinite(layer.scale) || layer.scale == 0) {
    place.refuse("scale", std::to_string(layer.scale), "finite, not 0");
  }
  if (inputs[0] != inputs[1]) {
    place.refuse("inputs", to_text(inputs[0]) + " and " + to_text(inputs[1]), "equal shapes");
  }
  return inputs[0];
}

}  // namespace cnnplan
