// Median, mean and spread.
#include "profiler/time_statistics.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace cnnplan {

TimeStatistics summarize(std::vector<double> values_s) {
  if (values_s.empty()) return {};
  std::sort(values_s.begin(), values_s.end());
  const std::size_t half = values_s.size() / 2;
  const auto count = static_cast<double>(values_s.size());
  const double mean = std::accumulate(values_s.begin(), values_s.end(), 0.0) / count;
  double squares = 0.0;
  for (double value : values_s) squares += (value - mean) * (value - mean);
  return {.count = static_cast<int>(values_s.size()),
          .median_s =
              values_s.size() % 2 == 1 ? values_s[half] : (values_s[half - 1] + values_s[half]) / 2,
          .mean_s = mean,
          .stddev_s = values_s.size() > 1 ? std::sqrt(squares / (count - 1)) : 0.0,
          .min_s = values_s.front()};
}

TimeStatistics scaled(const TimeStatistics& statistics, double factor) {
  return {.count = statistics.count,
          .median_s = statistics.median_s * factor,
          .mean_s = statistics.mean_s * factor,
          .stddev_s = statistics.stddev_s * factor,
          .min_s = statistics.min_s * factor};
}

}  // namespace cnnplan
