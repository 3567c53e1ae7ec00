// Groups the inputs of a strided convolution into classes that see equal taps.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "planner/kernel/kernel.hpp"

namespace cnnplan::onednn {

// Holds the inputs of a class in one dim: begin, begin + stride, and so on.
struct DimClass {
  std::int64_t begin = 0;
  std::int64_t count = 0;  // of the inputs
  std::vector<std::int64_t>
      taps;          // of the kernel, last first; none where no tap meets these inputs
  WindowDim window;  // of the convolution from dy to these inputs; has no stride
};
// Returns the classes of all inputs of one dim: one for each remainder of a division by the stride
// that occurs.
// @pre window is the window of a convolution of `inputs` inputs, one or more
std::vector<DimClass> classes_of(const WindowDim& window, std::int64_t inputs);

// Holds a class in all dims.
struct InputClass {
  std::array<std::int64_t, 3> begin{};  // the first input in d, h, w
  KernelSpec convolution;               // from dy to these inputs
  std::vector<std::int64_t> taps;       // the tap of the kernel for each tap of `convolution`
};
// Returns the classes that some tap reaches. All other inputs have no gradient.
// @throws std::logic_error when `convolution` has an empty extent
std::vector<InputClass> input_classes(const KernelSpec& convolution);
// Converts a position among the inputs of a class to its position among all inputs of
// `convolution`. Positions are numbered over (n, d, h, w).
std::int64_t input_position(const KernelSpec& convolution,
                            const InputClass& inputs,
                            std::int64_t position);

}  // namespace cnnplan::onednn
