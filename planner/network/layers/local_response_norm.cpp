// Checks the numbers of local response norms.
#include "planner/network/layers/local_response_norm.hpp"

#include <cmath>
#include <limits>
#include <string>

namespace cnnplan {

Shape sample_shape(const LocalResponseNorm& layer,
                   const std::vector<Shape>& inputs,
                   const LayerPlace& place) {
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  place.require(
      layer.size >= 1 && layer.size <= most, "size", layer.size, "1 to " + std::to_string(most));
  if (!(layer.alpha >= 0 && std::isfinite(layer.alpha))) {
    place.refuse("alpha", std::to_string(layer.alpha), "at least 0");
  }
  if (!(layer.beta >= 0 && std::isfinite(layer.beta))) {
    place.refuse("beta", std::to_string(layer.beta), "at least 0");
  }
  if (!(layer.k > 0 && std::isfinite(layer.k))) {
    place.refuse("k", std::to_string(layer.k), "above 0");
  }
  return inputs[0];
}

}  // namespace cnnplan
