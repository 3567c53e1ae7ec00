// Defines the layer kind `relu`: clips values below zero, and above a maximum if there is one.
#pragma once

#include <limits>
#include <vector>

#include "planner/network/rules/layer_fields.hpp"
#include "planner/network/rules/layer_place.hpp"
#include "planner/network/rules/layer_traits.hpp"
#include "planner/tensor/shape.hpp"

namespace cnnplan {

// y = min(max(x, 0), max).
struct Relu {
  static constexpr LayerTraits traits{.name = "relu", .may_recompute = true, .may_be_staged = true};

  double max = std::numeric_limits<double>::infinity();  // infinite: values are not clipped above
  auto operator<=>(const Relu&) const = default;

  template <typename Fields>
  static void describe(Fields& fields) {
    fields.optional("max", &Relu::max, positive_range);
  }
};

// Returns the shape of the input. @throws InputError unless the maximum is above 0
Shape sample_shape(const Relu& layer, const std::vector<Shape>& inputs, const LayerPlace& place);

}  // namespace cnnplan
