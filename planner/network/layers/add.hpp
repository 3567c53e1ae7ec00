// Defines the layer kind `add`: the sum of two tensors, the second one multiplied by a scale.
#pragma once

#include <vector>

#include "planner/network/rules/layer_fields.hpp"
#include "planner/network/rules/layer_place.hpp"
#include "planner/network/rules/layer_traits.hpp"
#include "planner/tensor/shape.hpp"

namespace cnnplan {

// y = first + scale * second. Both inputs have one shape.
struct Add {
  static constexpr LayerTraits traits{
      .name = "add", .inputs = {2, 2}, .may_recompute = true, .may_be_staged = true};

  double scale = 1.0;  // finite, not 0
  auto operator<=>(const Add&) const = default;

  template <typename Fields>
  static void describe(Fields& fields) {
    constexpr NumberRange scale_range{.minimum = -1e30, .maximum = 1e30};
    fields.optional("scale", &Add::scale, scale_range);
  }
};

constexpr bool is_scaled(const Add& add) {
  return add.scale != 1.0;
}

// Returns the shape of the inputs. @throws InputError for inputs of two shapes or a bad scale
Shape sample_shape(const Add& layer, const std::vector<Shape>& inputs, const LayerPlace& place);

}  // namespace cnnplan
