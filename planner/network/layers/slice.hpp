// Defines the layer kind `slice`: a range of the channels of its input.
#pragma once

#include <cstdint>
#include <vector>

#include "planner/network/rules/layer_fields.hpp"
#include "planner/network/rules/layer_place.hpp"
#include "planner/network/rules/layer_traits.hpp"
#include "planner/tensor/shape.hpp"

namespace cnnplan {

// The output has the channels [first_channel, first_channel + channels) of the input.
struct Slice {
  static constexpr LayerTraits traits{.name = "slice", .copies_inputs = true};

  std::int64_t first_channel = 0;
  std::int64_t channels = 1;
  auto operator<=>(const Slice&) const = default;

  template <typename Fields>
  static void describe(Fields& fields) {
    fields.optional("first_channel", &Slice::first_channel, count_range);
    fields.required("channels", &Slice::channels, extent_range);
  }
};

// Returns the shape of one sample after the layer.
// @throws InputError for channels that the input does not have
Shape sample_shape(const Slice& layer, const std::vector<Shape>& inputs, const LayerPlace& place);

}  // namespace cnnplan
