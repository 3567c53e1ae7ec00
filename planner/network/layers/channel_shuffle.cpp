// Checks the groups of channel shuffles.
#include "planner/network/layers/channel_shuffle.hpp"

#include <string>

namespace cnnplan {

Shape sample_shape(const ChannelShuffle& layer,
                   const std::vector<Shape>& inputs,
                   const LayerPlace& place) {
  const std::int64_t channels = inputs[0][Dim::c];
  place.require(layer.groups >= 1 && channels % layer.groups == 0,
                "groups",
                layer.groups,
                "a divisor of " + std::to_string(channels) + " channels");
  return inputs[0];
}

}  // namespace cnnplan
