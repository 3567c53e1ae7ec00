// Computes the greatest of normally distributed times, two at a time.
#include "planner/predict/arrival.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

namespace cnnplan {
namespace {

constexpr int few_ranks = 16;

struct Normal {
  double mean = 0.0;
  double variance = 0.0;
};

// Returns the distribution of the later one (Clark 1961, equations (2) to (4), uncorrelated).
Normal later_of(const Normal& a, const Normal& b) {
  const double spread = std::sqrt(a.variance + b.variance);
  if (spread == 0.0) return {.mean = std::max(a.mean, b.mean)};
  const double alpha = (a.mean - b.mean) / spread;
  const double density = std::exp(-alpha * alpha / 2) / std::sqrt(2 * std::numbers::pi);
  const double a_is_later = std::erfc(-alpha / std::numbers::sqrt2) / 2;
  const double b_is_later = 1.0 - a_is_later;
  // Moments about b's mean, which lose no digits where both are long after 0.
  const double ahead = a.mean - b.mean;
  const double first = ahead * a_is_later + spread * density;
  const double second = (ahead * ahead + a.variance) * a_is_later + b.variance * b_is_later +
                        ahead * spread * density;
  return {.mean = b.mean + first, .variance = std::max(0.0, second - first * first)};
}

Normal last_of_few(const Normal& one, int ranks) {
  Normal last = one;
  for (int i = 1; i < ranks; ++i) last = later_of(last, one);
  return last;
}

// Does this for two arrivals of equal distribution.
Normal later_of_two(const Normal& one) {
  constexpr double share = std::numbers::inv_pi;
  return {.mean = one.mean + std::sqrt(one.variance * share),
          .variance = one.variance * (1.0 - share)};
}

// Returns the distribution of the last of `ranks` equal arrivals. Many ranks are combined by
// doubling, which takes less time.
Normal last_of(Normal one, int ranks) {
  if (ranks < 1) throw std::logic_error("fewer than one rank arrives");
  if (one.variance == 0.0) return one;
  if (ranks <= few_ranks) return last_of_few(one, ranks);
  while (ranks % 2 == 0) {
    one = later_of_two(one);
    ranks /= 2;
  }
  Normal last = one;
  for (ranks /= 2; ranks > 0; ranks /= 2) {
    one = later_of_two(one);
    if (ranks % 2 == 1) last = later_of(last, one);
  }
  return last;
}

Normal last_of(const Arrival& arrival) {
  const double variance = arrival.spread_s * arrival.spread_s;
  return last_of({.mean = arrival.time_s, .variance = variance}, arrival.ranks);
}

}  // namespace

double expected_latest_s(std::span<const Arrival> arrivals) {
  if (arrivals.empty()) throw std::logic_error("nobody arrives");
  Normal last = last_of(arrivals.front());
  for (const Arrival& arrival : arrivals.subspan(1)) last = later_of(last, last_of(arrival));
  return last.mean;
}

}  // namespace cnnplan
