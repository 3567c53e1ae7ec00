// Comparison of figures of any size: doctest's own takes any two far below 1 for equal.
#pragma once

#include <limits>

#include <doctest/doctest.h>

namespace cnnplan {

// Equal to within a relative `tolerance`; to 0, nothing else is.
inline doctest::Approx relative(double expected, double tolerance = 1e-9) {
  return doctest::Approx(expected).epsilon(tolerance).scale(std::numeric_limits<double>::min());
}

}  // namespace cnnplan
