// Keeps several least values at once, so that no comparison waits for the one before. Compilers
// make vectors of them.
#include "planner/search/graph/min_plus.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace cnnplan {
namespace {

constexpr std::size_t lanes = 8;

// Returns the least value at any of the places.
template <typename ValueAt>
double least_value(std::size_t count, const ValueAt& value_at) {
  std::array<double, lanes> least;
  least.fill(std::numeric_limits<double>::infinity());
  const std::size_t whole = count / lanes * lanes;
  for (std::size_t c = 0; c < whole; c += lanes) {
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      const double value = value_at(c + lane);
      least[lane] = value < least[lane] ? value : least[lane];
    }
  }
  for (std::size_t c = whole; c < count; ++c) {
    least[c - whole] = std::min(least[c - whole], value_at(c));
  }
  return *std::min_element(least.begin(), least.end());
}

}  // namespace

double least_of(std::span<const double> values) {
  return least_value(values.size(), [&](std::size_t c) { return values[c]; });
}

double least_sum(std::span<const double> a, std::span<const double> b) {
  return least_value(a.size(), [&](std::size_t c) { return a[c] + b[c]; });
}

bool is_lower_somewhere(std::span<const double> a, double more, std::span<const double> b) {
  return least_value(a.size(), [&](std::size_t c) { return more + a[c] - b[c]; }) < 0.0;
}

std::size_t place_of_least_sum(std::span<const double> a, std::span<const double> b) {
  const double least = least_sum(a, b);
  std::size_t place = 0;
  while (a[place] + b[place] != least) ++place;
  return place;
}

void add_rows(std::span<const double> a, std::span<const double> b, std::span<double> sums) {
  for (std::size_t c = 0; c < sums.size(); ++c) sums[c] = a[c] + b[c];
}

}  // namespace cnnplan
