// Defines the layer kind `dropout`: sets random values to zero while a network trains.
#pragma once

#include <vector>

#include "planner/network/rules/layer_fields.hpp"
#include "planner/network/rules/layer_place.hpp"
#include "planner/network/rules/layer_traits.hpp"
#include "planner/tensor/shape.hpp"

namespace cnnplan {

// y = x / (1 - rate) for values that are kept. The seed, the step and the global index of a value
// decide whether it is dropped.
struct Dropout {
  static constexpr LayerTraits traits{.name = "dropout"};

  double rate = 0.5;  // the probability with which a value is dropped, from 0 to below 1
  // The kernels of this layer get this field as KernelConstants::parameter.
  static constexpr auto kernel_parameter = &Dropout::rate;
  auto operator<=>(const Dropout&) const = default;

  template <typename Fields>
  static void describe(Fields& fields) {
    constexpr NumberRange range{.minimum = 0.0, .maximum = 1.0, .ends = Ends::open_above};
    fields.optional("rate", &Dropout::rate, range, Written::always);
  }
};

// Returns the shape of the input. @throws InputError for a rate outside [0, 1)
Shape sample_shape(const Dropout& layer, const std::vector<Shape>& inputs, const LayerPlace& place);

}  // namespace cnnplan
