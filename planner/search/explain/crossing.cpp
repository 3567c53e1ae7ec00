// Halves a range of factors until the sums are straight lines in it, or cannot meet.
#include "planner/search/explain/crossing.hpp"

#include <algorithm>
#include <cmath>

#include "planner/search/graph/rounding.hpp"

namespace cnnplan {
namespace {

// These are ranges of binary logarithms of factors.
constexpr double narrowest = 1.0 / 64;  // narrowest range that is halved while no crossing shows
constexpr double narrowest_crossing = 0x1p-20;  // narrowest range in which a crossing shows

struct Point {
  double exponent = 0.0;
  TwoSums sums;
  double factor() const { return std::exp2(exponent); }
  double difference_s() const { return sums.other_s - sums.plan_s; }
  double rounding_s() const { return rounding_of_sums * std::max(sums.plan_s, sums.other_s); }
  bool is_above() const { return difference_s() > rounding_s(); }
};

// Both sums lie between their values at the ends.
bool cannot_meet(const Point& a, const Point& b) {
  const double least_other_s = std::min(a.sums.other_s, b.sums.other_s);
  return least_other_s > std::max(a.sums.plan_s, b.sums.plan_s) + a.rounding_s() + b.rounding_s();
}

bool on_line(const Point& a, const Point& between, const Point& b) {
  const double part = (between.factor() - a.factor()) / (b.factor() - a.factor());
  const double expected_s = a.difference_s() + part * (b.difference_s() - a.difference_s());
  return std::abs(between.difference_s() - expected_s) <= a.rounding_s() + b.rounding_s();
}

// @pre the difference is above 0 at `a`, not at `b`
double zero_of_line(const Point& a, const Point& b) {
  const double part = a.difference_s() / (a.difference_s() - b.difference_s());
  return a.factor() + std::min(part, 1.0) * (b.factor() - a.factor());
}

using SumsAt = std::function<TwoSums(double)>;

// @pre a.is_above()
std::optional<double> nearest(const SumsAt& at, const Point& a, const Point& b) {
  if (cannot_meet(a, b)) return std::nullopt;
  const bool crosses = !b.is_above();
  const std::optional<double> by_line =
      crosses ? std::optional(zero_of_line(a, b)) : std::optional<double>();
  const double width = std::abs(b.exponent - a.exponent);
  if (width <= (crosses ? narrowest_crossing : narrowest)) return by_line;
  const double half = (a.exponent + b.exponent) / 2;
  const Point middle{.exponent = half, .sums = at(half)};
  if (on_line(a, middle, b)) return by_line;
  const std::optional<double> near = nearest(at, a, middle);
  return near ? near : nearest(at, middle, b);
}

}  // namespace

std::optional<double> nearest_crossing(const SumsAt& at, const std::vector<double>& ends) {
  std::optional<double> best;
  const Point here{.exponent = 0.0, .sums = at(0.0)};
  for (double end : ends) {
    const std::optional<double> factor = nearest(at, here, {.exponent = end, .sums = at(end)});
    if (!factor) continue;
    if (!best || distance_from_one(*factor) < distance_from_one(*best)) best = factor;
  }
  return best;
}

double distance_from_one(double factor) {
  return std::abs(std::log(factor));
}

bool is_tie(const TwoSums& sums) {
  const Point point{.exponent = 0.0, .sums = sums};
  return std::abs(point.difference_s()) <= point.rounding_s();
}

}  // namespace cnnplan
