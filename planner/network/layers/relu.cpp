// Checks the maximum of ReLUs.
#include "planner/network/layers/relu.hpp"

#include <string>

namespace cnnplan {

Shape sample_shape(const Relu& layer, const std::vector<Shape>& inputs, const LayerPlace& place) {
  if (!(layer.max > 0)) place.refuse("max", std::to_string(layer.max), "above 0");
  return inputs[0];
}

}  // namespace cnnplan
