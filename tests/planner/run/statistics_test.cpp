// Tests median, mean and deviation of times, and deviations between rows of times.
#include "planner/run/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include <doctest/doctest.h>

#include "tests/relative.hpp"

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

TEST_CASE("Statistics: a quarter of the values exceed the upper quartile") {
  CHECK(upper_quartile(std::vector{7.0}) == 7.0);
  CHECK(upper_quartile(std::vector{1.0, 3.0}) == 2.5);
  CHECK(upper_quartile(std::vector{5.0, 1.0, 4.0, 2.0, 3.0}) == 4.0);
  CHECK(upper_quartile(std::vector{1.0, 1.0, 1.0, 1.0, 1e9}) == 1.0);
  CHECK(upper_quartile(std::vector{70.0, 137.0, 70.0, 137.0, 70.0, 137.0}) == 137.0);
}

TEST_CASE("Statistics: mean and standard deviation by n - 1") {
  const std::vector<double> values{2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0};
  CHECK(mean(values) == 5.0);
  CHECK(standard_deviation(values) == relative(2.13808993529939));
  CHECK(standard_deviation(std::vector{3.0}) == 0.0);
  CHECK(standard_deviation(std::vector{3.0, 3.0}) == 0.0);
}

TEST_CASE("Statistics: a large mean does not hide the deviation") {
  CHECK(standard_deviation(std::vector{1e9 + 1, 1e9 + 2, 1e9 + 3}) == relative(1.0));
}

TEST_CASE("Statistics: a summary of any order holds count, median, mean, spread and ends") {
  const Statistics even = summarize(std::vector{4.0, 8.0, 2.0, 6.0});
  CHECK(even.count == 4);
  CHECK(even.median_s == 5.0);
  CHECK(even.mean_s == 5.0);
  CHECK(even.stddev_s == relative(std::sqrt(20.0 / 3)));
  CHECK(even.min_s == 2.0);
  CHECK(even.max_s == 8.0);
  const Statistics odd = summarize(std::vector{3.0, 1.0, 100.0});
  CHECK(odd.median_s == 3.0);
  CHECK(odd.mean_s == relative(104.0 / 3));
}

TEST_CASE("Statistics: between rows counts what differs, not what all have in common") {
  const double of_median = 1.0 / (0.6744897501960817 * std::sqrt(2.0));
  CHECK(spread_between(std::vector{1.0, 5.0, 3.0, 1.0, 5.0, 3.0}, 2) == 0.0);
  CHECK(spread_between(std::vector{1.0, 5.0, 3.0, 2.0, 3.0, 6.0}, 2) == relative(2.0 * of_median));
  CHECK(spread_between(std::vector{1.0, 2.0, 4.0}, 3) == relative(2.0 * of_median));
  CHECK(spread_between(std::vector{1.0, 5.0}, 1) == 0.0);
  CHECK(spread_between({}, 2) == 0.0);
}

TEST_CASE("Statistics: between rows is the deviation of normal draws, and ignores stalls") {
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal(10.0, 0.5);
  std::vector<double> values(20'000);
  for (double& value : values) value = normal(random);
  CHECK(spread_between(values, 4) == relative(0.5, 0.02));
  for (std::size_t i = 0; i < values.size(); i += 50) values[i] += 1000.0;
  CHECK(spread_between(values, 4) == relative(0.5, 0.06));
}

TEST_CASE("Statistics: one value has no spread, none is all zero") {
  CHECK(summarize(std::vector{2.5}) == Statistics{1, 2.5, 2.5, 0.0, 2.5, 2.5, 2.5});
  CHECK(summarize({}) == Statistics{});
}

TEST_CASE("Statistics: scaling multiplies every time and leaves the count") {
  CHECK(scaled({3, 2.0, 4.0, 1.0, 0.5, 8.0, 3.0}, 0.5) ==
        Statistics{3, 1.0, 2.0, 0.5, 0.25, 4.0, 1.5});
}

TEST_CASE("Statistics: a run keeps median, ends and count") {
  CHECK(measured({3, 2.0, 4.0, 1.0, 0.5, 8.0}) ==
        Measured{.median_s = 2.0, .min_s = 0.5, .max_s = 8.0, .count = 3});
}

}  // namespace cnnplan
