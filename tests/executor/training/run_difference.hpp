// How far two runs of the same training are apart.
#pragma once

#include <string>

#include "tests/executor/training/training_run.hpp"

namespace cnnplan::test {

// Of single precision against double, and of double against double in another order of summation,
// which a batch norm of channels that hardly vary makes 5e-12.
inline constexpr double float_tolerance = 1e-4;
inline constexpr double double_tolerance = 1e-11;

struct Difference {
  std::string tensor = "none";
  double size = 0.0;  // in norm, relative to the norm expected
};

// The tensor that differs most. A gradient (or momentum, or weight) whose norm is below a hundredth
// (`smallest_part`) of that of all together is compared at this hundredth: it is a small difference
// of large terms, and what floats leave of it is the rounding of these terms; that of a bias ahead
// of a batch norm is even exactly zero. A tolerance of 1e-4 is then 16 roundings of a float at the
// size of the whole.
Difference largest_difference(const RunResult& actual,
                              const RunResult& expected,
                              double smallest_part = 1e-2);

}  // namespace cnnplan::test
