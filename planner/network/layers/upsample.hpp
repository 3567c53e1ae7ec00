// Defines the layer kind `upsample`, which enlarges images by integer factors.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "planner/network/rules/layer_fields.hpp"
#include "planner/network/rules/layer_place.hpp"
#include "planner/network/rules/layer_traits.hpp"
#include "planner/tensor/shape.hpp"
#include "planner/tensor/upsampling.hpp"

namespace cnnplan {

// Every output is an input or a mean of neighbouring inputs (planner/tensor/upsampling.hpp).
struct Upsample {
  static constexpr LayerTraits traits{.name = "upsample",
                                      .resizes = true,
                                      .rearranges = true,
                                      .may_be_staged = true,
                                      .chooses_split = true};

  Triple factor{1, 2, 2};  // d, h, w
  UpsampleMode mode = UpsampleMode::nearest;
  bool align_corners = false;  // linear only; as in UpsampleDim
  // Returns the upsampling of d, h and w.
  std::array<UpsampleDim, 3> dims() const {
    return {UpsampleDim{factor[0], mode, align_corners},
            UpsampleDim{factor[1], mode, align_corners},
            UpsampleDim{factor[2], mode, align_corners}};
  }
  auto operator<=>(const Upsample&) const = default;

  // By default, every dim of the network becomes twice as long.
  static constexpr Triple default_factor(std::size_t entries) {
    return {entries == 3 ? 2 : 1, 2, 2};
  }

  template <typename Fields>
  static void describe(Fields& fields) {
    fields.optional_sizes("factor",
                          &Upsample::factor,
                          {.range = extent_range, .without_depth = 1, .defaults = default_factor});
    fields.enumerator("mode", &Upsample::mode, Written::unless_default);
    fields.optional("align_corners", &Upsample::align_corners);
  }
};

// Returns the shape of one sample after the layer.
// @throws InputError for factors below 1, aligned corners of nearest neighbours, or overflow
Shape sample_shape(const Upsample& layer,
                   const std::vector<Shape>& inputs,
                   const LayerPlace& place);

}  // namespace cnnplan
