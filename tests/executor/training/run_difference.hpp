// Measures how far two runs of the same training are apart.
#pragma once

#include <string>

#include "tests/executor/training/training_run.hpp"

namespace cnnplan::test {

// These are the tolerances of single precision against double, and of double against double in
// another order of summation. A batch norm of channels that hardly vary makes the latter 5e-12.
inline constexpr double float_tolerance = 1e-4;
inline constexpr double double_tolerance = 1e-11;

struct Difference {
  std::string tensor = "none";
  double size = 0.0;  // in norm, relative to the norm expected
};

// Returns the tensor that differs most. A gradient, momentum or weight may have a norm below
// `smallest_part`, a hundredth, of the norm of all together. Then its difference is divided by this
// hundredth. Such a tensor is a small difference of large terms, and floats leave only the rounding
// of these terms. The gradient of a bias before a batch norm is even exactly zero. A tolerance of
// 1e-4 is then 16 roundings of a float at the size of the whole.
Difference largest_difference(const RunResult& actual,
                              const RunResult& expected,
                              double smallest_part = 1e-2);

}  // namespace cnnplan::test
