// Tests the mean time at which the last rank arrives, against draws of random numbers.
#include "planner/predict/arrival.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <stdexcept>
#include <vector>

#include <doctest/doctest.h>

#include "tests/relative.hpp"

namespace cnnplan::test {
namespace {

// Computes the mean in the obvious way.
double mean_of_draws(const std::vector<Arrival>& arrivals) {
  constexpr int draws = 100'000;
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  double sum_s = 0.0;
  for (int draw = 0; draw < draws; ++draw) {
    double latest_s = -1e300;
    for (const Arrival& arrival : arrivals) {
      for (int rank = 0; rank < arrival.ranks; ++rank) {
        latest_s = std::max(latest_s, arrival.time_s + arrival.spread_s * normal(random));
      }
    }
    sum_s += latest_s;
  }
  return sum_s / draws;
}

double latest_s(const std::vector<Arrival>& arrivals) {
  return expected_latest_s(arrivals);
}

}  // namespace

TEST_CASE("Arrival: without spread, it is the latest time") {
  CHECK(latest_s({{3.0}}) == 3.0);
  CHECK(latest_s({{3.0, 0.0, 7}, {5.0, 0.0, 64}, {4.0}}) == 5.0);
}

TEST_CASE("Arrival: a single rank arrives in the mean at its mean") {
  CHECK(latest_s({{3.0, 2.0}}) == 3.0);
}

TEST_CASE("Arrival: one of two equal ranks arrives later by a part of the spread") {
  const double late_s = 2.0 / std::sqrt(std::numbers::pi);
  CHECK(latest_s({{3.0, 2.0}, {3.0, 2.0}}) == relative(3.0 + late_s));
  CHECK(latest_s({{3.0, 2.0, 2}}) == relative(3.0 + late_s));
}

TEST_CASE("Arrival: others wait for a rank that arrives long after them") {
  CHECK(latest_s({{1000.0, 1.0}, {3.0, 2.0, 5}}) == relative(1000.0, 1e-12));
}

TEST_CASE("Arrival: equals the mean of many draws") {
  for (const std::vector<Arrival>& arrivals : {std::vector<Arrival>{{0.0, 1.0}, {0.5, 2.0}},
                                               {{0.0, 1.0, 3}},
                                               {{0.0, 1.0, 8}},
                                               {{0.0, 1.0, 4}, {1.0, 0.5, 3}},
                                               {{0.0, 0.0}, {0.0, 1.0}},
                                               {{0.0, 1.0, 5}, {0.2, 1.0}, {-0.5, 3.0}}}) {
    CAPTURE(arrivals.size());
    CAPTURE(arrivals.front().ranks);
    CHECK(latest_s(arrivals) == relative(mean_of_draws(arrivals), 0.03));
  }
}

TEST_CASE("Arrival: waiting for more ranks never takes less time") {
  double before_s = 0.0;
  for (int ranks : {1, 2, 3, 4, 7, 8, 64, 1024, 65'536}) {
    const double now_s = latest_s({{0.0, 1.0, ranks}});
    CHECK(now_s >= before_s);
    before_s = now_s;
  }
  CHECK(before_s < 5.0);
}

TEST_CASE("Arrival: needs at least one rank") {
  CHECK_THROWS_AS(expected_latest_s({}), std::logic_error);
  CHECK_THROWS_AS(latest_s({{3.0, 1.0, 0}}), std::logic_error);
}

}  // namespace cnnplan::test
