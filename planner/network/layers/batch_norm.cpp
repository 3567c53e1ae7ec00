// Checks the numbers of batch norms.
#include "planner/network/layers/batch_norm.hpp"

#include <string>

namespace cnnplan {

Shape sample_shape(const BatchNorm& layer,
                   const std::vector<Shape>& inputs,
                   const LayerPlace& place) {
  if (!(layer.epsilon > 0)) place.refuse("epsilon", std::to_string(layer.epsilon), "above 0");
  if (!(layer.momentum >= 0 && layer.momentum <= 1)) {
    place.refuse("momentum", std::to_string(layer.momentum), "0 to 1");
  }
  return inputs[0];
}

}  // namespace cnnplan
