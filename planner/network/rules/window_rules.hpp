// Checks windows that slide over the input of a layer.
#pragma once

#include <cstdint>

#include "planner/network/rules/layer_place.hpp"
#include "planner/tensor/shape.hpp"
#include "planner/tensor/window.hpp"

namespace cnnplan {

// Returns a window that covers the whole image: its kernel is the spatial extent of `input`, and it
// has stride 1 and no padding.
Window whole_image(const Shape& input);
// Checks one dim of a window by itself.
// @throws InputError for a kernel, stride or dilation below 1, for padding below 0 or not below
// dim.reach(), and when the reach overflows
void check_extents(const WindowDim& dim, const LayerPlace& place);
// Checks a window of a layer whose input has this shape.
// @throws InputError unless check_extents passes for every dim, and the window fits into the padded
// input
void check_window(const Window& window, const Shape& input, const LayerPlace& place);
// Checks a window of a pooling, which has no result over padding alone.
// @throws InputError if a window holds padding only @pre `window` passes check_window
void check_pooled(const Window& window, const Shape& input, const LayerPlace& place);
// Returns the shape of an output with this number of channels. @pre `window` passes check_window
Shape windowed_shape(const Window& window, const Shape& input, std::int64_t channels);

}  // namespace cnnplan
