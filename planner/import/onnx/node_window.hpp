// Reads the windows of convolutions, transposed convolutions and poolings from attributes of nodes.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "planner/import/onnx/node_reader.hpp"
#include "planner/tensor/window.hpp"

namespace cnnplan {

// Reads "strides", "dilations", and "pads" or "auto_pad". Margins of the image are not included.
// @throws UnmappedNode unless all have as many entries as the image has spatial dims, in range
Window read_window(const NodeReader& node,
                   const std::vector<std::int64_t>& kernel,
                   const Activation& image);

// Describes the window of a transposed convolution.
struct TransposedWindow {
  Window window;
  std::array<std::int64_t, 3> output_padding{};
};
// Reads "output_padding" and "output_shape", too. The shape determines the padding as the standard
// says: instead of negative padding, outputs are added at the end.
// @throws UnmappedNode as read_window(), also for these attributes; InputError when an extent
// overflows
TransposedWindow read_transposed_window(const NodeReader& node,
                                        const std::vector<std::int64_t>& kernel,
                                        const Activation& image);

// Returns the window with the padding at the end by which "ceil_mode" adds a window. The added
// window must begin in the image or in the padding before it, as in PyTorch and in newer versions
// of the standard.
Window with_ceil_mode(Window window, const Activation& image);

// Returns the window with the margins of the image as padding.
Window with_margins(Window window, const Activation& image);

// Returns true if the window covers only the element itself.
bool is_point(const Window& window);

}  // namespace cnnplan
