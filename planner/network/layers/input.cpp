// Checks the sizes of samples.
#include "planner/network/layers/input.hpp"

namespace cnnplan {

Shape sample_shape(const Input& layer, const std::vector<Shape>&, const LayerPlace& place) {
  place.require(layer.channels >= 1, "channels", layer.channels, "at least 1");
  for (const std::int64_t extent : layer.size) {
    place.require(extent >= 1, "size", extent, "at least 1");
  }
  return {{1, layer.channels, layer.size[0], layer.size[1], layer.size[2]}};
}

}  // namespace cnnplan
