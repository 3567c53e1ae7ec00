// Groups the inputs of a strided convolution into classes that see equal taps.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "planner/kernel/kernel.hpp"

namespace cnnplan::onednn {

// A class of one dim has the inputs begin, begin + stride, ...
struct DimClass {
  std::int64_t begin = 0;
  std::int64_t count = 0;
  std::vector<std::int64_t>
      taps;          // of the kernel, last first; none where no tap meets these inputs
  WindowDim window;  // of the convolution from dy to these inputs; has no stride
};
// Returns the classes of all inputs of one dim, one for each residue of the stride that occurs.
// @pre window is the window of a convolution of `inputs` inputs, one or more
std::vector<DimClass> classes_of(const WindowDim& window, std::int64_t inputs);

// Holds a class in all dims.
struct InputClass {
  std::array<std::int64_t, 3> begin{};  // d, h, w
  KernelSpec convolution;               // from dy to these inputs
  std::vector<std::int64_t> taps;       // the tap of the kernel for each tap of `convolution`
};
// Returns the classes that some tap reaches. All other inputs have no gradient.
// @throws std::logic_error when `convolution` has an empty extent
std::vector<InputClass> input_classes(const KernelSpec& convolution);
// Returns the position among all inputs of `convolution` of a position of the class.
std::int64_t input_position(const KernelSpec& convolution,
                            const InputClass& inputs,
                            std::int64_t position);

}  // namespace cnnplan::onednn
