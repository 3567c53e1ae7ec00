// Defines the layer kind `pooling`: the maximum or the mean of each window, channel by channel.
#pragma once

#include <vector>

#include "planner/network/rules/layer_fields.hpp"
#include "planner/network/rules/layer_place.hpp"
#include "planner/network/rules/layer_traits.hpp"
#include "planner/tensor/shape.hpp"
#include "planner/tensor/window.hpp"

namespace cnnplan {

// Says what a pooling takes of the values in its window.
enum class PoolingMode { max, average };

// Computes the maximum or the mean over a window of one channel. Zeros of the padding are never a
// maximum.
struct Pooling {
  static constexpr LayerTraits traits{
      .name = "pooling", .has_window = true, .may_be_staged = true, .chooses_split = true};

  PoolingMode mode = PoolingMode::max;
  Window window;
  // For `average`: if true, the mean divides by all elements of the window. If false, it divides by
  // the elements that are not padding.
  bool count_include_padding = false;
  auto operator<=>(const Pooling&) const = default;

  template <typename Fields>
  static void describe(Fields& fields) {
    fields.enumerator("mode", &Pooling::mode, Written::always);
    fields.window(&Pooling::window, DefaultStride::kernel);
    fields.optional("count_include_padding", &Pooling::count_include_padding);
  }
};

// Returns the shape of one sample after the layer.
// @throws InputError for a window that is impossible, does not fit, or holds padding only
Shape sample_shape(const Pooling& layer, const std::vector<Shape>& inputs, const LayerPlace& place);

}  // namespace cnnplan
