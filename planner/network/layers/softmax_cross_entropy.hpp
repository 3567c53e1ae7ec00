// Defines the layer kind `softmax_cross_entropy`: the loss of a classification.
#pragma once

#include <vector>

#include "planner/network/rules/layer_place.hpp"
#include "planner/network/rules/layer_traits.hpp"
#include "planner/network/rules/loss_weight.hpp"
#include "planner/tensor/shape.hpp"

namespace cnnplan {

// Computes the mean over samples and positions of -log softmax over channels, at the label of the
// position. A label is the index of a channel. An input with one position has a label for each
// sample, and any other input has one for each position.
struct SoftmaxCrossEntropy {
  static constexpr LayerTraits traits{
      .name = "softmax_cross_entropy",
      .is_loss = true,
      .chooses_split = true,
      .channel_split_refusal = "labels and targets are read with all their channels"};

  double weight = 1.0;  // factor of the loss in the sum that is minimised; 1 for the main loss
  auto operator<=>(const SoftmaxCrossEntropy&) const = default;

  template <typename Fields>
  static void describe(Fields& fields) {
    fields.optional("weight", &SoftmaxCrossEntropy::weight, loss_weight_range);
  }
};

// Returns the shape of the input. @throws InputError for an impossible weight
Shape sample_shape(const SoftmaxCrossEntropy& layer,
                   const std::vector<Shape>& inputs,
                   const LayerPlace& place);

}  // namespace cnnplan
