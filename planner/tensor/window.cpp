// Computes the inputs of a block of outputs in one dim.
#include "planner/tensor/window.hpp"

#include <algorithm>

#include "planner/base/checked.hpp"

namespace cnnplan {
namespace {

// Divides and rounds up, for numbers of any sign. @pre divisor >= 1
std::int64_t divide_up(std::int64_t number, std::int64_t divisor) {
  return number / divisor + (number % divisor > 0 ? 1 : 0);
}

}  // namespace

std::int64_t output_length(std::int64_t length, const WindowDim& window) {
  const std::int64_t padded = length + window.padding_begin + window.padding_end;
  return padded < window.reach() ? 0 : (padded - window.reach()) / window.stride + 1;
}

WindowBlock window_block(Range outputs, std::int64_t length, const WindowDim& window) {
  if (outputs.size() == 0) return {};
  const std::int64_t begin = outputs.begin * window.stride - window.padding_begin;
  const std::int64_t end =
      (outputs.end - 1) * window.stride - window.padding_begin + window.reach();
  // If the stride exceeds the reach, no output needs the inputs between two windows. The block
  // before them takes these inputs, so that aligned blocks are used in place.
  const std::int64_t next_begin = outputs.end * window.stride - window.padding_begin;
  WindowBlock block;
  block.input.begin = std::clamp<std::int64_t>(begin, 0, length);
  block.input.end = std::clamp<std::int64_t>(std::max(end, next_begin), block.input.begin, length);
  block.padding_begin = block.input.begin - begin;
  block.padding_end = std::max<std::int64_t>(0, end - block.input.end);
  return block;
}

std::int64_t transposed_length(std::int64_t length,
                               const WindowDim& window,
                               std::int64_t output_padding) {
  const std::int64_t spread = checked_multiply(length - 1, window.stride);
  return checked_add(checked_add(spread, window.reach()), output_padding) - window.padding_begin -
         window.padding_end;
}

WindowBlock transposed_block(Range outputs, std::int64_t length, const WindowDim& window) {
  if (outputs.size() == 0) return {};
  // Counts in the padded outputs, in which the taps of input i lie at i S, i S + D, ... i S + D
  // (K-1).
  const Range padded{outputs.begin + window.padding_begin, outputs.end + window.padding_begin};
  const std::int64_t last = length - 1;
  const std::int64_t first_to_reach = divide_up(padded.begin + 1 - window.reach(), window.stride);
  WindowBlock block;
  block.input.begin =
      std::clamp<std::int64_t>(std::min(first_to_reach, padded.begin / window.stride), 0, last);
  block.input.end = std::min((padded.end - 1) / window.stride, last) + 1;
  block.padding_begin = padded.begin - block.input.begin * window.stride;
  block.padding_end = std::max<std::int64_t>(
      0, window.reach() - (padded.end - (block.input.end - 1) * window.stride));
  return block;
}

}  // namespace cnnplan
