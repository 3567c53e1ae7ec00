// Defines the layer kind `global_pooling`: a pooling whose window is the whole image.
#pragma once

#include <vector>

#include "planner/network/layers/pooling.hpp"
#include "planner/network/rules/layer_fields.hpp"
#include "planner/network/rules/layer_place.hpp"
#include "planner/network/rules/layer_traits.hpp"
#include "planner/tensor/shape.hpp"

namespace cnnplan {

struct GlobalPooling {
  static constexpr LayerTraits traits{
      .name = "global_pooling", .has_window = true, .may_be_staged = true, .chooses_split = true};

  PoolingMode mode = PoolingMode::average;
  auto operator<=>(const GlobalPooling&) const = default;

  template <typename Fields>
  static void describe(Fields& fields) {
    fields.enumerator("mode", &GlobalPooling::mode, Written::always);
  }
};

// Returns the shape of one sample after the layer: the channels of the input at one position.
Shape sample_shape(const GlobalPooling& layer,
                   const std::vector<Shape>& inputs,
                   const LayerPlace& place);

}  // namespace cnnplan
