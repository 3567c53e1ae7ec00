// Windows that slide over the input of a layer.
#pragma once

#include <cstdint>

#include "planner/network/layer_place.hpp"
#include "planner/network/network.hpp"

namespace cnnplan {

// The whole image as one window.
Window whole_image(const Shape& input);
// Of what has one; else the whole image.
Window window_for(const LayerParameters& parameters, const Shape& input);
// @throws InputError unless its extents are possible and it fits into the padded input
void check_window(const Window& window, const Shape& input, const LayerPlace& place);
// @throws InputError where a window holds padding only @pre `window` passes check_window
void check_pooled(const Window& window, const Shape& input, const LayerPlace& place);
// The output for `input`. @throws InputError unless its extents are possible and in no dim padding
// takes all of it
Shape transposed_shape(const TransposedConvolution& layer,
                       const Shape& input,
                       const LayerPlace& place);
// @pre `window` passes check_window
Shape windowed_shape(const Window& window, const Shape& input, std::int64_t channels);

}  // namespace cnnplan
