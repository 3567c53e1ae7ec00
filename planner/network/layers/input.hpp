// Defines the layer kind `input`: the source of samples.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "planner/network/rules/layer_fields.hpp"
#include "planner/network/rules/layer_place.hpp"
#include "planner/network/rules/layer_traits.hpp"
#include "planner/tensor/shape.hpp"

namespace cnnplan {

// Samples have the shape (N, channels, size[0], size[1], size[2]) with size = D, H, W.
struct Input {
  static constexpr LayerTraits traits{
      .name = "input",
      .inputs = {0, 0},
      .chooses_split = true,
      .channel_split_refusal = "samples are read with all their channels"};

  std::int64_t channels = 1;
  Triple size{1, 1, 1};
  auto operator<=>(const Input&) const = default;

  template <typename Fields>
  static void describe(Fields& fields) {
    fields.required("channels", &Input::channels, extent_range);
    fields.required_sizes("size", &Input::size, {.range = extent_range, .without_depth = 1});
  }
};

// Returns the shape of one sample.
// @throws InputError for a size or a number of channels below 1
Shape sample_shape(const Input& layer, const std::vector<Shape>& inputs, const LayerPlace& place);

}  // namespace cnnplan
