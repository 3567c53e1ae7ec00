// Upsampling by integer factors, dim by dim: what a block of outputs needs of the inputs.
#pragma once

#include <compare>
#include <cstdint>

#include "planner/tensor/window.hpp"

namespace cnnplan {

// Nearest neighbour: output o is input floor(o / factor). Linear: outputs are weighted means of the
// inputs around them (bilinear, trilinear), the first and the last input continued outside.
enum class UpsampleMode { nearest, linear };

struct UpsampleDim {
  std::int64_t factor = 1;
  UpsampleMode mode = UpsampleMode::nearest;
  // Linear only: the first and the last output are the first and the last input. Else inputs and
  // outputs are cells of one length in all: output o lies at input (o + 1/2) / factor - 1/2.
  bool align_corners = false;
  auto operator<=>(const UpsampleDim&) const = default;
};

// What a block of outputs needs of an input of `length`. The padding is how many outputs the first
// input has before the block, and the last one behind it; none where inputs are interpolated.
// @pre factor >= 1
WindowBlock upsample_block(Range outputs, std::int64_t length, const UpsampleDim& dim);

// Where outputs of a linear upsampling lie among the inputs: output o at (step o + begin) / unit,
// at the first or the last input where that is outside.
struct InterpolationAxis {
  std::int64_t step = 0;
  std::int64_t begin = 0;
  std::int64_t unit = 1;
  auto operator<=>(const InterpolationAxis&) const = default;
};

// In indices that count from the first of `outputs`, and from the first input that they need.
// @pre dim.mode is linear
InterpolationAxis interpolation_axis(Range outputs, std::int64_t length, const UpsampleDim& dim);

}  // namespace cnnplan
