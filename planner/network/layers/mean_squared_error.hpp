// Defines the layer kind `mean_squared_error`: the loss of a regression.
#pragma once

#include <vector>

#include "planner/network/rules/layer_place.hpp"
#include "planner/network/rules/layer_traits.hpp"
#include "planner/network/rules/loss_weight.hpp"
#include "planner/tensor/shape.hpp"

namespace cnnplan {

// Computes the mean over all elements of (x - target)^2. Targets have the shape of x.
struct MeanSquaredError {
  static constexpr LayerTraits traits{
      .name = "mean_squared_error",
      .is_loss = true,
      .chooses_split = true,
      .channel_split_refusal = "labels and targets are read with all their channels"};

  double weight = 1.0;  // factor of the loss in the sum that is minimised; 1 for the main loss
  auto operator<=>(const MeanSquaredError&) const = default;

  template <typename Fields>
  static void describe(Fields& fields) {
    fields.optional("weight", &MeanSquaredError::weight, loss_weight_range);
  }
};

// Returns the shape of the input. @throws InputError for an impossible weight
Shape sample_shape(const MeanSquaredError& layer,
                   const std::vector<Shape>& inputs,
                   const LayerPlace& place);

}  // namespace cnnplan
