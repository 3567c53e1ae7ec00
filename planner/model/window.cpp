// Window arithmetic in one dim.
#include "planner/model/window.hpp"

#include <algorithm>

namespace cnnplan {

std::int64_t output_length(std::int64_t length, const WindowDim& window) {
  const std::int64_t padded = length + window.padding_begin + window.padding_end;
  return padded < window.reach() ? 0 : (padded - window.reach()) / window.stride + 1;
}

WindowBlock window_block(Range outputs, std::int64_t length, const WindowDim& window) {
  if (outputs.size() == 0) return {};
  const std::int64_t begin = outputs.begin * window.stride - window.padding_begin;
  const std::int64_t end =
      (outputs.end - 1) * window.stride - window.padding_begin + window.reach();
  // With a stride above the reach the inputs between two windows are needed by nobody: the block
  // before them takes them, so that aligned blocks are used in place.
  const std::int64_t next_begin = outputs.end * window.stride - window.padding_begin;
  WindowBlock block;
  block.input.begin = std::clamp<std::int64_t>(begin, 0, length);
  block.input.end = std::clamp<std::int64_t>(std::max(end, next_begin), block.input.begin, length);
  block.padding_begin = block.input.begin - begin;
  block.padding_end = std::max<std::int64_t>(0, end - block.input.end);
  return block;
}

}  // namespace cnnplan
