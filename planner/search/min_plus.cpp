// Several least sums side by side, so that none waits for the one before: compilers make vectors
// of them.
#include "planner/search/min_plus.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace cnnplan {
namespace {

constexpr std::size_t lanes = 8;

}  // namespace

double least_sum(std::span<const double> a, std::span<const double> b) {
  std::array<double, lanes> least;
  least.fill(std::numeric_limits<double>::infinity());
  const std::size_t whole = a.size() / lanes * lanes;
  for (std::size_t c = 0; c < whole; c += lanes) {
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      const double sum = a[c + lane] + b[c + lane];
      least[lane] = sum < least[lane] ? sum : least[lane];
    }
  }
  for (std::size_t c = whole; c < a.size(); ++c) {
    least[c - whole] = std::min(least[c - whole], a[c] + b[c]);
  }
  return *std::min_element(least.begin(), least.end());
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
