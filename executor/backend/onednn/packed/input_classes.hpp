// Inputs of a strided convolution that see the same taps.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "planner/kernel/kernel.hpp"

namespace cnnplan::onednn {

// In one dim: inputs begin, begin + stride, ...
struct DimClass {
  std::int64_t begin = 0;
  std::int64_t count = 0;
  std::vector<std::int64_t>
      taps;          // of the kernel, last first; none where no tap meets these inputs
  WindowDim window;  // of the convolution from dy to these inputs; has no stride
};
// @pre window is that of a convolution of `inputs` inputs, one or more
std::vector<DimClass> classes_of(const WindowDim& window, std::int64_t inputs);

// In all dims.
struct InputClass {
  std::array<std::int64_t, 3> begin{};  // d, h, w
  KernelSpec convolution;               // from dy to these inputs
  std::vector<std::int64_t> taps;       // of the kernel, for each tap of that convolution
};
// Classes that some tap reaches. Inputs of the others have no gradient.
// @throws std::logic_error when `convolution` has an empty extent
std::vector<InputClass> input_classes(const KernelSpec& convolution);

}  // namespace cnnplan::onednn
