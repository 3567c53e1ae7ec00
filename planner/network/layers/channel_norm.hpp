// Knows the pointwise operator that computes an output from all channels of its position.
#pragma once

#include <string_view>

#include "planner/network/layers/pointwise.hpp"
#include "planner/network/rules/layer_traits.hpp"

namespace cnnplan {

// The name in ONNX of a norm over the channels of each position.
inline constexpr std::string_view channel_norm = "LayerNormalization";

// Returns the properties of a pointwise layer with this operator. Ranks cannot split the channels
// of a norm over channels, so the search chooses a split for it.
const LayerTraits& traits_of_operator(const Pointwise& layer);

}  // namespace cnnplan
