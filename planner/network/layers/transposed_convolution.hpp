// Defines the layer kind `transposed_convolution`: the adjoint of a convolution.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "planner/network/rules/layer_fields.hpp"
#include "planner/network/rules/layer_place.hpp"
#include "planner/network/rules/layer_traits.hpp"
#include "planner/tensor/shape.hpp"
#include "planner/tensor/window.hpp"

namespace cnnplan {

// The convolution with this window leads from the outputs of the layer to its inputs. In every dim,
// L inputs become transposed_length(L) outputs. With C channels of the input and a kernel of KD x
// KH x KW, the weight has the shape (C, F/groups, KD, KH, KW), the bias (F).
struct TransposedConvolution {
  static constexpr LayerTraits traits{.name = "transposed_convolution",
                                      .has_window = true,
                                      .is_transposed = true,
                                      .mixes_channels = true,
                                      .reads_input_again = true,
                                      .may_be_staged = true,
                                      .chooses_split = true};

  std::int64_t filters = 1;  // channels F of the output
  Window window;
  // Outputs that are added at the end of d, h and w, because several numbers of outputs lead to one
  // number of inputs. Each is less than the stride.
  Triple output_padding{};
  std::int64_t groups = 1;  // divides the filters and the channels of the input
  bool bias = false;        // one number is added for each filter
  auto operator<=>(const TransposedConvolution&) const = default;

  // Returns the values of a missing key "output_padding".
  static constexpr Triple no_output_padding(std::size_t /*entries*/) { return {}; }

  template <typename Fields>
  static void describe(Fields& fields) {
    using Layer = TransposedConvolution;
    fields.required("filters", &Layer::filters, extent_range);
    fields.window(&Layer::window, DefaultStride::one);
    fields.optional_sizes("output_padding",
                          &Layer::output_padding,
                          {.range = padding_range, .defaults = no_output_padding});
    fields.optional("groups", &Layer::groups, extent_range);
    fields.optional("bias", &Layer::bias);
  }
};

// Returns the shape of one sample after the layer.
// @throws InputError for parameters that are impossible, do not fit the input, or leave no output
Shape sample_shape(const TransposedConvolution& layer,
                   const std::vector<Shape>& inputs,
                   const LayerPlace& place);

}  // namespace cnnplan
