// Computes the inputs of a block by the positions of its first and last output.
#include "planner/tensor/upsampling.hpp"

#include <algorithm>

namespace cnnplan {
namespace {

// Returns floor(a / b). @pre b > 0
std::int64_t floor_divide(std::int64_t a, std::int64_t b) {
  return a / b - (a % b < 0 ? 1 : 0);
}

// Returns the axis of the whole input and output.
InterpolationAxis whole_axis(std::int64_t length, const UpsampleDim& dim) {
  if (dim.align_corners) {
    return {.step = length - 1, .unit = std::max<std::int64_t>(1, dim.factor * length - 1)};
  }
  return {.step = 2, .begin = 1 - dim.factor, .unit = 2 * dim.factor};
}

Range interpolated(Range outputs, std::int64_t length, const UpsampleDim& dim) {
  const InterpolationAxis axis = whole_axis(length, dim);
  const std::int64_t first = floor_divide(axis.step * outputs.begin + axis.begin, axis.unit);
  const std::int64_t last = -floor_divide(-axis.step * (outputs.end - 1) - axis.begin, axis.unit);
  return {std::clamp<std::int64_t>(first, 0, length - 1),
          std::clamp<std::int64_t>(last, 0, length - 1) + 1};
}

}  // namespace

WindowBlock upsample_block(Range outputs, std::int64_t length, const UpsampleDim& dim) {
  if (outputs.size() == 0) return {};
  if (dim.mode == UpsampleMode::linear) return {.input = interpolated(outputs, length, dim)};
  WindowBlock block;
  block.input = {outputs.begin / dim.factor, (outputs.end - 1) / dim.factor + 1};
  block.padding_begin = outputs.begin - block.input.begin * dim.factor;
  block.padding_end = block.input.end * dim.factor - outputs.end;
  return block;
}

InterpolationAxis interpolation_axis(Range outputs, std::int64_t length, const UpsampleDim& dim) {
  InterpolationAxis axis = whole_axis(length, dim);
  const std::int64_t first_input = upsample_block(outputs, length, dim).input.begin;
  axis.begin += axis.step * outputs.begin - axis.unit * first_input;
  return axis;
}

}  // namespace cnnplan
