// Computes the shape of the outputs of global poolings.
#include "planner/network/layers/global_pooling.hpp"

#include "planner/network/rules/window_rules.hpp"

namespace cnnplan {

Shape sample_shape(const GlobalPooling&, const std::vector<Shape>& inputs, const LayerPlace&) {
  return windowed_shape(whole_image(inputs[0]), inputs[0], inputs[0][Dim::c]);
}

}  // namespace cnnplan
