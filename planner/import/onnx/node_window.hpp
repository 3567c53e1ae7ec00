// The windows of convolutions, transposed ones and poolings, from the attributes of their nodes.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "planner/import/onnx/node_reader.hpp"
#include "planner/tensor/window.hpp"

namespace cnnplan {

// "strides", "dilations", and "pads" or "auto_pad"; margins of the image are left out.
// @throws UnmappedNode unless all have as many entries as the image has spatial dims, in range
Window read_window(const NodeReader& node,
                   const std::vector<std::int64_t>& kernel,
                   const Activation& image);

// Of a transposed convolution.
struct TransposedWindow {
  Window window;
  std::array<std::int64_t, 3> output_padding{};
};
// Likewise, and "output_padding" and "output_shape", from which the padding follows as the standard
// has it: where it would be negative, outputs are added at the end instead.
TransposedWindow read_transposed_window(const NodeReader& node,
                                        const std::vector<std::int64_t>& kernel,
                                        const Activation& image);

// With the padding at the end by which "ceil_mode" adds a window: one that begins in the image or
// in the padding before it, as in PyTorch and newer versions of the standard.
Window with_ceil_mode(Window window, const Activation& image);

// With the margins of the image as padding.
Window with_margins(Window window, const Activation& image);

// True where the window is no more than the element itself.
bool is_point(const Window& window);

}  // namespace cnnplan
