// Compares figures of any size. doctest's own comparison takes any two figures far below 1 for
// equal.
#pragma once

#include <limits>

#include <doctest/doctest.h>

namespace cnnplan {

// Returns a figure that equals others within a relative `tolerance`. Only 0 equals 0.
inline doctest::Approx relative(double expected, double tolerance = 1e-9) {
  return doctest::Approx(expected).epsilon(tolerance).scale(std::numeric_limits<double>::min());
}

}  // namespace cnnplan
