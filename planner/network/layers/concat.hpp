// Defines the layer kind `concat`: joins tensors along the channels.
#pragma once

#include <vector>

#include "planner/network/rules/layer_place.hpp"
#include "planner/network/rules/layer_traits.hpp"
#include "planner/tensor/shape.hpp"

namespace cnnplan {

// The inputs have the same n, d, h and w. One tensor may be several of the inputs.
struct Concat {
  static constexpr LayerTraits traits{
      .name = "concat", .inputs = {.minimum = 2}, .copies_inputs = true};

  auto operator<=>(const Concat&) const = default;

  template <typename Fields>
  static void describe(Fields&) {}
};

// Returns the shape of one sample after the layer.
// @throws InputError where shapes differ in more than the channels, or their sum overflows
Shape sample_shape(const Concat& layer, const std::vector<Shape>& inputs, const LayerPlace& place);

}  // namespace cnnplan
