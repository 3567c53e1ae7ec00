// Statistics on fed numbers.
#include "profiler/time_statistics.hpp"

#include <cmath>

#include <doctest/doctest.h>

namespace cnnplan {

TEST_CASE("TimeStatistics: median, mean, spread and minimum of any order") {
  const TimeStatistics odd = summarize({3.0, 1.0, 100.0});
  CHECK(odd.count == 3);
  CHECK(odd.median_s == 3.0);
  CHECK(odd.mean_s == doctest::Approx(104.0 / 3));
  CHECK(odd.min_s == 1.0);
  const TimeStatistics even = summarize({4.0, 2.0, 8.0, 6.0});
  CHECK(even.median_s == 5.0);
  CHECK(even.stddev_s == doctest::Approx(std::sqrt(20.0 / 3)));
}

TEST_CASE("TimeStatistics: one value has no spread, none is all zero") {
  CHECK(summarize({2.5}) == TimeStatistics{1, 2.5, 2.5, 0.0, 2.5});
  CHECK(summarize({}) == TimeStatistics{});
}

}  // namespace cnnplan
