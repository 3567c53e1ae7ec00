// Checks the weight of the loss.
#include "planner/network/layers/softmax_cross_entropy.hpp"

namespace cnnplan {

Shape sample_shape(const SoftmaxCrossEntropy& layer,
                   const std::vector<Shape>& inputs,
                   const LayerPlace& place) {
  check_loss_weight(layer.weight, place);
  return inputs[0];
}

}  // namespace cnnplan
