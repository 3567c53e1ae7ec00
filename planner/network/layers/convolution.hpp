// Defines the layer kind `convolution`: weighted sums over a window and a group of channels.
#pragma once

#include <cstdint>
#include <vector>

#include "planner/network/rules/layer_fields.hpp"
#include "planner/network/rules/layer_place.hpp"
#include "planner/network/rules/layer_traits.hpp"
#include "planner/tensor/shape.hpp"
#include "planner/tensor/window.hpp"

namespace cnnplan {

// With F filters, C channels of the input and a kernel of KD x KH x KW, the weight has the shape
// (F, C/groups, KD, KH, KW), the bias (F).
struct Convolution {
  static constexpr LayerTraits traits{.name = "convolution",
                                      .has_window = true,
                                      .mixes_channels = true,
                                      .reads_input_again = true,
                                      .may_be_staged = true,
                                      .has_halo_method = true,
                                      .chooses_split = true};

  std::int64_t filters = 1;  // channels of the output
  Window window;
  std::int64_t groups = 1;  // divides the filters and the channels of the input
  bool bias = false;        // one number is added for each filter
  auto operator<=>(const Convolution&) const = default;

  template <typename Fields>
  static void describe(Fields& fields) {
    fields.required("filters", &Convolution::filters, extent_range);
    fields.window(&Convolution::window, DefaultStride::one);
    fields.optional("groups", &Convolution::groups, extent_range);
    fields.optional("bias", &Convolution::bias);
  }
};

// Checks the groups of a convolution or transposed convolution.
// @throws InputError unless there is at least one filter, and `groups` is at least 1 and divides
// the filters and the `channels` of the input @pre channels >= 1
void check_groups(std::int64_t filters,
                  std::int64_t groups,
                  std::int64_t channels,
                  const LayerPlace& place);

// Returns the shape of one sample after the layer.
// @throws InputError for parameters that are impossible or do not fit the input
Shape sample_shape(const Convolution& layer,
                   const std::vector<Shape>& inputs,
                   const LayerPlace& place);

}  // namespace cnnplan
