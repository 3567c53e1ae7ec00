// Compares planner/search/graph/min_plus with a loop over all candidates.
#include "planner/search/graph/min_plus.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <doctest/doctest.h>

#include "tests/planner/base/random_values.hpp"

namespace cnnplan::test {

TEST_CASE("least_sum: of any number of candidates, and the first place with ties") {
  RandomValues random(31);
  for (std::size_t candidates = 1; candidates <= 40; ++candidates) {
    for (int trial = 0; trial < 50; ++trial) {
      std::vector<double> a(candidates);
      std::vector<double> b(candidates);
      std::vector<double> sums(candidates);
      // Few values, so that there are ties.
      for (double& value : a) value = static_cast<double>(random.integer(0, 3));
      for (double& value : b) value = static_cast<double>(random.integer(0, 3));
      add_rows(a, b, sums);
      for (std::size_t c = 0; c < candidates; ++c) CHECK(sums[c] == a[c] + b[c]);
      const auto least = std::min_element(sums.begin(), sums.end());
      CAPTURE(candidates);
      CHECK(least_sum(a, b) == *least);
      CHECK(least_of(sums) == *least);
      CHECK(place_of_least_sum(a, b) == static_cast<std::size_t>(least - sums.begin()));
    }
  }
}

TEST_CASE("is_lower_somewhere: by as little as there is, in any place, and below what is open") {
  for (std::size_t candidates = 1; candidates <= 40; ++candidates) {
    const std::vector<double> a(candidates, 0.5);
    for (std::size_t place = 0; place < candidates; ++place) {
      CAPTURE(candidates);
      CAPTURE(place);
      std::vector<double> b(candidates, 0.75);
      CHECK_FALSE(is_lower_somewhere(a, 0.25, b));
      b[place] = std::nextafter(0.75, 1.0);
      CHECK(is_lower_somewhere(a, 0.25, b));
      b[place] = std::numeric_limits<double>::infinity();
      CHECK(is_lower_somewhere(a, 0.25, b));
    }
  }
}

}  // namespace cnnplan::test
