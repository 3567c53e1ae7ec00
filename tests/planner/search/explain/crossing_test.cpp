// Checks at which factor of a figure two sums of prices become equal.
#include "planner/search/explain/crossing.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <doctest/doctest.h>

#include "tests/planner/base/random_values.hpp"
#include "tests/relative.hpp"

namespace cnnplan::test {
namespace {

struct Line {
  double constant = 0.0;
  double slope = 0.0;
  double at(double factor) const { return constant + slope * factor; }
};

// Models a price as the least or the most of a few lines.
struct Bent {
  std::vector<Line> lines;
  bool takes_least = true;

  double at(double factor) const {
    std::vector<double> values;
    for (const Line& line : lines) values.push_back(line.at(factor));
    return takes_least ? *std::min_element(values.begin(), values.end())
                       : *std::max_element(values.begin(), values.end());
  }
};

struct Sum {
  std::vector<Bent> prices;

  double at(double factor) const {
    double sum = 0.0;
    for (const Bent& price : prices) sum += price.at(factor);
    return sum;
  }
};

Sum random_sum(RandomValues& random) {
  Sum sum;
  for (int price = 0; price < 4; ++price) {
    Bent bent{.lines = {}, .takes_least = random.boolean()};
    for (int line = random.small(1, 3); line > 0; --line) {
      bent.lines.push_back({random.fraction(), random.fraction()});
    }
    sum.prices.push_back(bent);
  }
  return sum;
}

struct Asked {
  std::optional<double> factor;
  int questions = 0;
};

Asked crossing(const Sum& plan, const Sum& other, const std::vector<double>& ends) {
  Asked asked;
  const auto at = [&](double exponent) {
    ++asked.questions;
    const double factor = std::exp2(exponent);
    return TwoSums{.plan_s = plan.at(factor), .other_s = other.at(factor)};
  };
  asked.factor = nearest_crossing(at, ends);
  return asked;
}

// The first factor on a fine grid with which `other` is no longer above.
std::optional<double> by_scanning(const Sum& plan, const Sum& other, double farthest, double step) {
  for (double moved = 0.0; moved <= std::abs(farthest); moved += step) {
    const double factor = std::exp2(std::copysign(moved, farthest));
    if (other.at(factor) <= plan.at(factor)) return factor;
  }
  return std::nullopt;
}

Sum line(double constant, double slope) {
  return {{{.lines = {{constant, slope}}}}};
}

}  // namespace

TEST_CASE("nearest_crossing: straight lines meet where they do, after three questions") {
  const Asked up = crossing(line(1.0, 1.0), line(4.0, 0.5), {4.0});
  CHECK(*up.factor == relative(6.0, 1e-12));
  CHECK(up.questions == 3);
  const Asked down = crossing(line(1.0, 1.0), line(0.5, 3.0), {-4.0});
  CHECK(*down.factor == relative(0.25, 1e-12));
  CHECK(down.questions == 3);
}

TEST_CASE("nearest_crossing: none where the lines meet beyond the range or never") {
  CHECK_FALSE(crossing(line(1.0, 1.0), line(40.0, 0.5), {4.0, -4.0}).factor);
  CHECK_FALSE(crossing(line(1.0, 1.0), line(4.0, 0.5), {-4.0}).factor);
  CHECK_FALSE(crossing(line(1.0, 1.0), line(2.0, 1.0), {4.0, -4.0}).factor);
}

TEST_CASE("nearest_crossing: the nearer one of several, around bends") {
  // The other sum is below the plan's only between 2 and 3.
  const Sum other{{{.lines = {{2.0, 0.0}, {-4.0, 3.0}}, .takes_least = false}}};
  const Sum plan{{{.lines = {{0.0, 1.0}, {8.0 / 3, 0.0}}, .takes_least = true}}};
  const std::optional<double> factor = crossing(plan, other, {4.0}).factor;
  REQUIRE(factor);
  CHECK(*factor == relative(2.0, 1e-5));
}

TEST_CASE("nearest_crossing: up or down, whichever is nearer") {
  const Sum plan = line(0.0, 1.0);
  const auto above_between = [](double low, double high) {
    return Sum{{{.lines = {{-low, 2.0}, {high / 2, 0.5}}, .takes_least = true}}};
  };
  const auto nearest = [&](double low, double high) {
    return *crossing(plan, above_between(low, high), {4.0, -4.0}).factor;
  };
  CHECK(nearest(0.25, 3.0) == relative(3.0, 1e-5));
  CHECK(nearest(0.5, 3.0) == relative(0.5, 1e-5));
}

TEST_CASE("nearest_crossing: what a fine scan finds, for random sums of bent lines") {
  RandomValues random(7);
  int crossings = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    const Sum plan = random_sum(random);
    const Sum other = random_sum(random);
    if (other.at(1.0) <= plan.at(1.0)) continue;
    const double farthest = random.boolean() ? 4.0 : -4.0;
    constexpr double step = 1e-3;
    const std::optional<double> expected = by_scanning(plan, other, farthest, step);
    const std::optional<double> found = crossing(plan, other, {farthest}).factor;
    CAPTURE(trial);
    REQUIRE(expected.has_value() == found.has_value());
    if (!found) continue;
    ++crossings;
    CHECK(std::abs(std::log2(*found / *expected)) <= 1.01 * step);
    CHECK(other.at(*found) == relative(plan.at(*found), 1e-6));
  }
  CHECK(crossings > 100);
}

}  // namespace cnnplan::test
