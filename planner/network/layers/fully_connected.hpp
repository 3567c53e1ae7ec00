// Defines the layer kind `fully_connected`: a convolution whose kernel is the whole image.
#pragma once

#include <cstdint>
#include <vector>

#include "planner/network/rules/layer_fields.hpp"
#include "planner/network/rules/layer_place.hpp"
#include "planner/network/rules/layer_traits.hpp"
#include "planner/tensor/shape.hpp"

namespace cnnplan {

// The weight has the shape (outputs, C, D, H, W), the bias (outputs).
struct FullyConnected {
  static constexpr LayerTraits traits{.name = "fully_connected",
                                      .has_window = true,
                                      .mixes_channels = true,
                                      .reads_input_again = true,
                                      .may_be_staged = true,
                                      .chooses_split = true};

  std::int64_t outputs = 1;  // channels of the output, which has one position
  bool bias = true;          // one number is added for each output
  auto operator<=>(const FullyConnected&) const = default;

  template <typename Fields>
  static void describe(Fields& fields) {
    fields.required("outputs", &FullyConnected::outputs, extent_range);
    fields.optional("bias", &FullyConnected::bias);
  }
};

// Returns the shape of one sample after the layer. @throws InputError for less than one output
Shape sample_shape(const FullyConnected& layer,
                   const std::vector<Shape>& inputs,
                   const LayerPlace& place);

}  // namespace cnnplan
