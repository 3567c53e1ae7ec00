// Checks the inputs of operators that are only planned.
#include "planner/network/layers/pointwise.hpp"

#include <algorithm>

#include "planner/network/layers/channel_norm.hpp"

namespace cnnplan {

bool is_gate(const Shape& input, const Shape& image) {
  const auto has_one = [&](Dim dim) { return input[dim] == 1; };
  return input != image && input[Dim::n] == image[Dim::n] && input[Dim::c] == image[Dim::c] &&
         std::all_of(spatial_dims.begin(), spatial_dims.end(), has_one);
}

Shape sample_shape(const Pointwise& layer,
                   const std::vector<Shape>& inputs,
                   const LayerPlace& place) {
  if (layer.operation.empty()) place.refuse("operator", "\"\"", "the name of an operator");
  const Shape& image = inputs[0];
  if (inputs.size() == 2 && layer.operation == channel_norm) {
    place.refuse("inputs", "two inputs", "one, since a norm over channels has one");
  }
  if (inputs.size() == 2 && inputs[1] != image && !is_gate(inputs[1], image)) {
    place.refuse("inputs",
                 to_text(image) + " and " + to_text(inputs[1]),
                 "equal shapes, or a second input with one position and as many channels");
  }
  return image;
}

}  // namespace cnnplan
