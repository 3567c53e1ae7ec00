// Tests of planner/model/statistics.
#include "planner/model/statistics.hpp"

#include <algorithm>
#include <vector>

#include <doctest/doctest.h>

namespace cnnplan {

TEST_CASE("Statistics: the median of an odd and of an even number of values") {
  CHECK(median(std::vector{3.0}) == 3.0);
  CHECK(median(std::vector{9.0, 1.0, 5.0}) == 5.0);
  CHECK(median(std::vector{9.0, 1.0, 5.0, 2.0}) == 3.5);
  CHECK(median(std::vector{2.0, 2.0, 2.0, 7.0}) == 2.0);
}

TEST_CASE("Statistics: the median does not depend on the order") {
  std::vector<double> odd{1.0, 2.0, 4.0, 8.0, 16.0};
  do {
    CHECK(median(odd) == 4.0);
  } while (std::next_permutation(odd.begin(), odd.end()));
  std::vector<double> even{1.0, 2.0, 4.0, 8.0};
  do {
    CHECK(median(even) == 3.0);
  } while (std::next_permutation(even.begin(), even.end()));
}

TEST_CASE("Statistics: mean and standard deviation by n - 1") {
  const std::vector<double> values{2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0};
  CHECK(mean(values) == 5.0);
  CHECK(standard_deviation(values) == doctest::Approx(2.13808993529939));
  CHECK(standard_deviation(std::vector{3.0}) == 0.0);
  CHECK(standard_deviation(std::vector{3.0, 3.0}) == 0.0);
}

TEST_CASE("Statistics: a large mean does not hide the deviation") {
  CHECK(standard_deviation(std::vector{1e9 + 1, 1e9 + 2, 1e9 + 3}) == doctest::Approx(1.0));
}

TEST_CASE("Statistics: a summary holds median, ends and count") {
  const Measured measured = summarize(std::vector{4.0, 1.0, 3.0, 2.0});
  CHECK(measured.median_s == 2.5);
  CHECK(measured.min_s == 1.0);
  CHECK(measured.max_s == 4.0);
  CHECK(measured.count == 4);
}

}  // namespace cnnplan
