// Checks poolings, and computes the shape of their outputs.
#include "planner/network/layers/pooling.hpp"

#include "planner/network/rules/window_rules.hpp"

namespace cnnplan {

Shape sample_shape(const Pooling& layer,
                   const std::vector<Shape>& inputs,
                   const LayerPlace& place) {
  const Shape& x = inputs[0];
  check_window(layer.window, x, place);
  check_pooled(layer.window, x, place);
  return windowed_shape(layer.window, x, x[Dim::c]);
}

}  // namespace cnnplan
