// Says which inputs a block of outputs of a convolution or pooling needs.
// Source: Dryden et al. 2019, section III-A, extended to any stride, padding and dilation.
#pragma once

#include <array>
#include <cstdint>

#include "planner/tensor/box.hpp"

namespace cnnplan {

// Describes a window in one dim. All lengths count elements of the input.
struct WindowDim {
  std::int64_t kernel = 1;         // the number of taps
  std::int64_t stride = 1;         // from a window to the next
  std::int64_t padding_begin = 0;  // zeros before the input
  std::int64_t padding_end = 0;    // zeros after the input
  std::int64_t dilation = 1;       // from a tap to the next

  // Returns the extent of the dilated kernel.
  std::int64_t reach() const { return dilation * (kernel - 1) + 1; }
  auto operator<=>(const WindowDim&) const = default;
};

// Describes a window by spatial dim, in the order d, h, w.
struct Window {
  std::array<WindowDim, 3> dims{};
  auto operator<=>(const Window&) const = default;
};

// Returns the number of outputs of `length` inputs, which is 0 if the window does not fit.
std::int64_t output_length(std::int64_t length, const WindowDim& window);

// Returns the number of outputs of a transposed convolution of `length` inputs:
// (length - 1) stride - padding_begin - padding_end + reach + output_padding.
// The number is 0 or negative if the padding removes all. @throws InputError on overflow
std::int64_t transposed_length(std::int64_t length,
                               const WindowDim& window,
                               std::int64_t output_padding);

// Describes the inputs that a block of outputs needs in one dim, and the padding around them.
struct WindowBlock {
  Range input;  // lies in [0, length); adjacent blocks leave no gap between their inputs
  // The kernel of the block is given this padding before and after `input`. The functions that
  // return a WindowBlock say what it counts.
  std::int64_t padding_begin = 0;
  std::int64_t padding_end = 0;
  auto operator<=>(const WindowBlock&) const = default;
};
// Outputs [a, b) need inputs [a S - P, (b-1) S - P + D (K-1) + 1), as far as they exist, with
// stride S, padding_begin P, dilation D and kernel K. If the stride exceeds the reach, the block
// also takes later inputs, up to the first input of the next block. The padding counts the needed
// positions before the first and after the last input. All indices are global, and `length` is the
// global extent of the input. Empty `outputs` need no inputs.
WindowBlock window_block(Range outputs, std::int64_t length, const WindowDim& window);

// Outputs [a, b) of a transposed convolution need inputs
// [ceil((a + P - D (K-1)) / S), floor((b-1 + P) / S) + 1), as far as they exist. If the stride
// exceeds the reach, the block also takes earlier inputs, so that no gap remains after the previous
// block. The padding belongs to the convolution from these outputs to these inputs. If no tap of
// the kernel reaches the first output, padding_begin may exceed the reach. The arguments are as in
// window_block().
WindowBlock transposed_block(Range outputs, std::int64_t length, const WindowDim& window);

}  // namespace cnnplan
