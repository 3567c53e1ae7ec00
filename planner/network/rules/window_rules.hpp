// Checks windows that slide over the input of a layer.
#pragma once

#include <cstdint>

#include "planner/network/rules/layer_place.hpp"
#include "planner/tensor/shape.hpp"
#include "planner/tensor/window.hpp"

namespace cnnplan {

// Returns a window that covers the whole image.
Window whole_image(const Shape& input);
// @throws InputError for an impossible kernel, stride, dilation or padding
void check_extents(const WindowDim& dim, const LayerPlace& place);
// @throws InputError unless check_extents passes and the window fits into the padded input
void check_window(const Window& window, const Shape& input, const LayerPlace& place);
// @throws InputError where a window holds padding only @pre `window` passes check_window
void check_pooled(const Window& window, const Shape& input, const LayerPlace& place);
// Returns the shape of the output. @pre `window` passes check_window
Shape windowed_shape(const Window& window, const Shape& input, std::int64_t channels);

}  // namespace cnnplan
