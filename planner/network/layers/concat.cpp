// Checks the inputs of concats, and adds up their channels.
#include "planner/network/layers/concat.hpp"

#include "planner/base/checked.hpp"

namespace cnnplan {

Shape sample_shape(const Concat&, const std::vector<Shape>& inputs, const LayerPlace& place) {
  Shape joined = inputs[0];
  for (std::size_t i = 1; i < inputs.size(); ++i) {
    Shape same = inputs[i];
    same[Dim::c] = inputs[0][Dim::c];
    if (same != inputs[0]) {
      place.refuse("inputs",
                   to_text(inputs[0]) + " and " + to_text(inputs[i]),
                   "shapes that are equal but for the channels");
    }
    joined[Dim::c] = checked_add(joined[Dim::c], inputs[i][Dim::c]);
  }
  return joined;
}

}  // namespace cnnplan
