// Defines the layer kind `leaky_relu`: passes values above zero, and scales all others by a slope.
#pragma once

#include <string>
#include <vector>

#include "planner/base/number_range.hpp"
#include "planner/network/rules/layer_fields.hpp"
#include "planner/network/rules/layer_place.hpp"
#include "planner/network/rules/layer_traits.hpp"
#include "planner/tensor/shape.hpp"

namespace cnnplan {

// y = x where x > 0, else slope x.
struct LeakyRelu {
  static constexpr LayerTraits traits{.name = "leaky_relu"};
  // With a slope below zero, y would not tell the sign of x, which backpropagation takes from y.
  static constexpr NumberRange slope_range{.minimum = 0.0, .maximum = 1e30};

  double slope = 0.01;
  // The kernels of this layer get this field as KernelConstants::parameter.
  static constexpr auto kernel_parameter = &LeakyRelu::slope;
  auto operator<=>(const LeakyRelu&) const = default;

  template <typename Fields>
  static void describe(Fields& fields) {
    fields.optional("slope", &LeakyRelu::slope, slope_range);
  }
};

// Returns the shape of the input. @throws InputError for a slope outside its range
inline Shape sample_shape(const LeakyRelu& layer,
                          const std::vector<Shape>& inputs,
                          const LayerPlace& place) {
  if (!LeakyRelu::slope_range.holds(layer.slope)) {
    place.refuse("slope", std::to_string(layer.slope), "0 to 1e30");
  }
  return inputs[0];
}

}  // namespace cnnplan
