// Checks the rate of dropouts.
#include "planner/network/layers/dropout.hpp"

#include <string>

namespace cnnplan {

Shape sample_shape(const Dropout& layer,
                   const std::vector<Shape>& inputs,
                   const LayerPlace& place) {
  if (!(layer.rate >= 0 && layer.rate < 1)) {
    place.refuse("rate", std::to_string(layer.rate), "0 up to, not including, 1");
  }
  return inputs[0];
}

}  // namespace cnnplan
