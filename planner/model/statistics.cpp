// Order statistics and moments.
#include "planner/model/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace cnnplan {

double median(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::nth_element(sorted.begin(), middle, sorted.end());
  if (sorted.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(sorted.begin(), middle)) / 2.0;
}

double mean(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double standard_deviation(std::span<const double> values) {
  if (values.size() < 2) return 0.0;
  const double center = mean(values);
  double squares = 0.0;
  for (double value : values) squares += (value - center) * (value - center);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

Measured summarize(std::span<const double> values) {
  const auto [smallest, largest] = std::minmax_element(values.begin(), values.end());
  return {.median_s = median(values),
          .min_s = *smallest,
          .max_s = *largest,
          .count = static_cast<int>(values.size())};
}

}  // namespace cnnplan
