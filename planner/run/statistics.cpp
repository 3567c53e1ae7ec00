// Computes order statistics and moments of measurements.
#include "planner/run/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <vector>

namespace cnnplan {

double median(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  const auto middle = sorted.begin() + sorted.size() / 2;
  std::nth_element(sorted.begin(), middle, sorted.end());
  if (sorted.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(sorted.begin(), middle)) / 2.0;
}

double upper_quartile(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  const double position = 0.75 * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], position - static_cast<double>(below));
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

double spread_between(std::span<const double> values, int rows) {
  if (rows < 2 || values.empty()) return 0.0;
  const std::size_t columns = values.size() / rows;
  std::vector<double> differences;
  for (std::size_t a = 0; a < values.size(); ++a) {
    for (std::size_t b = a + columns; b < values.size(); b += columns) {
      differences.push_back(std::fabs(values[a] - values[b]));
    }
  }
  // The difference of two normally distributed values of deviation 1 has the deviation sqrt(2), and
  // half of these differences are below 0.6745 of it.
  constexpr double median_difference = 0.6744897501960817 * std::numbers::sqrt2;
  return median(differences) / median_difference;
}

Statistics summarize(std::span<const double> values_s) {
  if (values_s.empty()) return {};
  const auto [smallest, largest] = std::minmax_element(values_s.begin(), values_s.end());
  return {.count = static_cast<int>(values_s.size()),
          .median_s = median(values_s),
          .mean_s = mean(values_s),
          .stddev_s = standard_deviation(values_s),
          .min_s = *smallest,
          .max_s = *largest,
          .upper_quartile_s = upper_quartile(values_s)};
}

Statistics scaled(const Statistics& statistics, double factor) {
  return {.count = statistics.count,
          .median_s = statistics.median_s * factor,
          .mean_s = statistics.mean_s * factor,
          .stddev_s = statistics.stddev_s * factor,
          .min_s = statistics.min_s * factor,
          .max_s = statistics.max_s * factor,
          .upper_quartile_s = statistics.upper_quartile_s * factor};
}

Measured measured(const Statistics& statistics) {
  return {.median_s = statistics.median_s,
          .min_s = statistics.min_s,
          .max_s = statistics.max_s,
          .count = statistics.count};
}

}  // namespace cnnplan
