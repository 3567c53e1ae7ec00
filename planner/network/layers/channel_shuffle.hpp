// Defines the layer kind `channel_shuffle`: reorders channels across groups.
#pragma once

#include <cstdint>
#include <vector>

#include "planner/network/rules/layer_fields.hpp"
#include "planner/network/rules/layer_place.hpp"
#include "planner/network/rules/layer_traits.hpp"
#include "planner/tensor/shape.hpp"

namespace cnnplan {

// The channels form a matrix with a row for each of the `groups`, which is transposed. Of C
// channels, output j * groups + i is input i * (C / groups) + j.
struct ChannelShuffle {
  static constexpr LayerTraits traits{
      .name = "channel_shuffle",
      .rearranges = true,
      .chooses_split = true,
      .channel_split_refusal = "a channel shuffle moves channels of all parts to all parts"};

  std::int64_t groups = 1;  // divides the number of channels
  auto operator<=>(const ChannelShuffle&) const = default;

  template <typename Fields>
  static void describe(Fields& fields) {
    fields.required("groups", &ChannelShuffle::groups, extent_range);
  }
};

// Returns the shape of the input. @throws InputError unless `groups` divides the channels
Shape sample_shape(const ChannelShuffle& layer,
                   const std::vector<Shape>& inputs,
                   const LayerPlace& place);

}  // namespace cnnplan
