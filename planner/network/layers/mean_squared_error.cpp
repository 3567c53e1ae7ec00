// Checks the weight of the loss.
#include "planner/network/layers/mean_squared_error.hpp"

namespace cnnplan {

Shape sample_shape(const MeanSquaredError& layer,
                   const std::vector<Shape>& inputs,
                   const LayerPlace& place) {
  check_loss_weight(layer.weight, place);
  return inputs[0];
}

}  // namespace cnnplan
