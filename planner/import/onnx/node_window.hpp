// Reads the windows of convolutions, transposed convolutions and poolings from attributes of nodes.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "planner/import/onnx/node_reader.hpp"
#include "planner/tensor/window.hpp"

namespace cnnplan {

// Reads "strides", "dilations", and "pads" or "auto_pad" of a node with these extents of the
// kernel. Each list has one entry for each spatial dim, and "pads" has two. `image` is the input
// that the window slides over. Its margins are zeros that earlier nodes put around it, and its dims
// include them. They are not added to the padding (with_margins() does this).
// @throws UnmappedNode for other lists, entries out of range, an input that is no image, an unknown
// "auto_pad", or an "auto_pad" other than "NOTSET" together with "pads" that are not 0
Window read_window(const NodeReader& node,
                   const std::vector<std::int64_t>& kernel,
                   const Activation& image);

// Describes the window of a transposed convolution.
struct TransposedWindow {
  Window window;
  std::array<std::int64_t, 3> output_padding{};  // for d, h, w: outputs added at the end
};
// Reads the window as read_window() does, except for "auto_pad", and "output_padding" and
// "output_shape". A given shape determines the padding as the standard says, and "pads" is ignored.
// Without a shape, "auto_pad" pads so that there are `stride` outputs for each input. Where the
// padding would be negative, outputs are added at the end instead.
// @throws UnmappedNode as read_window(), also for these attributes; InputError when an extent
// overflows
TransposedWindow read_transposed_window(const NodeReader& node,
                                        const std::vector<std::int64_t>& kernel,
                                        const Activation& image);

// Returns the window of a pooling with "ceil_mode", which rounds the number of outputs up. Padding
// is added at the end, so that a last partial window fits. This window must begin in the image or
// in the padding before it, as in PyTorch and in newer versions of the standard.
Window with_ceil_mode(Window window, const Activation& image);

// Returns the window with the margins of the image as padding.
Window with_margins(Window window, const Activation& image);

// Returns true if the window is the default one, with which each output's window is the element at
// its own place. Kernel, stride and dilation are then 1, and there is no padding.
bool is_point(const Window& window);

}  // namespace cnnplan
