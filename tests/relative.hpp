// Comparison of figures of any size: doctest's own takes any two far below 1 for equal.
#pragma once

#include <doctest/doctest.h>

namespace cnnplan {

// Equal to within a relative `tolerance`. @pre expected is not 0
inline doctest::Approx relative(double expected, double tolerance = 1e-9) {
  return doctest::Approx(expected).epsilon(tolerance).scale(0.0);
}

}  // namespace cnnplan
