// Sliding windows of convolution and pooling, and the blocks that they need.
// Source: Dryden et al. 2019, section III-A, extended to any stride, padding and dilation.
#pragma once

#include <array>
#include <cstdint>

#include "planner/tensor/box.hpp"

namespace cnnplan {

struct WindowDim {
  std::int64_t kernel = 1;
  std::int64_t stride = 1;
  std::int64_t padding_begin = 0;
  std::int64_t padding_end = 0;
  std::int64_t dilation = 1;

  // Extent of the dilated kernel: dilation * (kernel - 1) + 1.
  std::int64_t reach() const { return dilation * (kernel - 1) + 1; }
  auto operator<=>(const WindowDim&) const = default;
};

// One WindowDim per spatial dim, in the order d, h, w.
struct Window {
  std::array<WindowDim, 3> dims{};
  auto operator<=>(const Window&) const = default;
};

// Number of outputs of `length` inputs; 0 when the window does not fit.
std::int64_t output_length(std::int64_t length, const WindowDim& window);

// Number of outputs of a transposed convolution of `length` inputs:
// (length - 1) stride - padding_begin - padding_end + reach + output_padding; not above 0 where
// the padding takes all. @throws InputError on overflow
std::int64_t transposed_length(std::int64_t length,
                               const WindowDim& window,
                               std::int64_t output_padding);

// What one rank's block of outputs needs of the inputs in one dim, and the padding it sees there.
struct WindowBlock {
  Range input;  // clipped to [0, length); adjacent blocks leave no gap between their inputs
  std::int64_t padding_begin = 0;
  std::int64_t padding_end = 0;
  auto operator<=>(const WindowBlock&) const = default;
};
// Outputs [a, b) need inputs [a S - P, (b-1) S - P + D (K-1) + 1), clipped.
WindowBlock window_block(Range outputs, std::int64_t length, const WindowDim& window);

// Outputs [a, b) of a transposed convolution need inputs [ceil((a + P - D (K-1)) / S),
// floor((b-1 + P) / S) + 1), clipped; where taps lie further apart than inputs are, also the ones
// before a that leave no gap behind the block before. The padding is that of the convolution from
// these outputs to these inputs, which makes exactly as many of them. Where no tap reaches the
// first output, padding_begin may be more than the kernel reaches.
WindowBlock transposed_block(Range outputs, std::int64_t length, const WindowDim& window);

}  // namespace cnnplan
