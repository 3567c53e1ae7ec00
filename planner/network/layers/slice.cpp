// Checks the channels of slices.
#include "planner/network/layers/slice.hpp"

#include <string>

namespace cnnplan {

Shape sample_shape(const Slice& layer, const std::vector<Shape>& inputs, const LayerPlace& place) {
  const std::int64_t count = inputs[0][Dim::c];
  place.require(layer.first_channel >= 0 && layer.first_channel < count,
                "first_channel",
                layer.first_channel,
                "0 to " + std::to_string(count - 1) + ", a channel of the input");
  const std::int64_t most = count - layer.first_channel;
  place.require(layer.channels >= 1 && layer.channels <= most,
                "channels",
                layer.channels,
                "1 to " + std::to_string(most) + ", as many as the input has from there on");
  Shape output = inputs[0];
  output[Dim::c] = layer.channels;
  return output;
}

}  // namespace cnnplan
