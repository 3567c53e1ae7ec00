// Says which inputs a block of outputs of an upsampling needs, dim by dim. Factors are integers.
#pragma once

#include <compare>
#include <cstdint>

#include "planner/tensor/window.hpp"

namespace cnnplan {

// With `nearest`, output o is input floor(o / factor). With `linear`, an output is a weighted mean
// of the inputs around it (bilinear, trilinear), and the first and the last input continue outside.
enum class UpsampleMode { nearest, linear };

// Describes an upsampling in one dim.
struct UpsampleDim {
  std::int64_t factor = 1;  // the extent of the output over the extent of the input
  UpsampleMode mode = UpsampleMode::nearest;
  // This flag is for `linear` only. If true, the first and the last output are the first and the
  // last input. Otherwise, output o lies at input (o + 1/2) / factor - 1/2.
  bool align_corners = false;
  auto operator<=>(const UpsampleDim&) const = default;
};

// Returns the inputs that a block of outputs needs, of an input with the global extent `length`. An
// empty block needs none. All indices are global. With `nearest`, padding_begin counts the outputs
// before the block that repeat its first input. padding_end counts the outputs after the block that
// repeat its last input. With `linear`, both are 0.
// @pre factor >= 1
WindowBlock upsample_block(Range outputs, std::int64_t length, const UpsampleDim& dim);

// Says where the outputs of a linear upsampling lie among the inputs, as exact fractions. Output o
// lies at input (step o + begin) / unit, and is a mean of the inputs before and after this place. A
// place outside the inputs stands for the first or the last input.
struct InterpolationAxis {
  std::int64_t step = 0;
  std::int64_t begin = 0;
  std::int64_t unit = 1;
  auto operator<=>(const InterpolationAxis&) const = default;
};

// Returns the axis of a block. Its indices count from the first of `outputs`, and from the first
// input that the block needs. `outputs` and `length` are as in upsample_block().
// @pre dim.mode is linear
InterpolationAxis interpolation_axis(Range outputs, std::int64_t length, const UpsampleDim& dim);

}  // namespace cnnplan
