// What remains of repeated measurements of one time.
#pragma once

#include <compare>
#include <vector>

namespace cnnplan {

struct TimeStatistics {
  int count = 0;
  double median_s = 0.0;
  double mean_s = 0.0;
  double stddev_s = 0.0;  // of the sample, count - 1 degrees of freedom
  double min_s = 0.0;
  auto operator<=>(const TimeStatistics&) const = default;
};

// All zero for no values.
TimeStatistics summarize(std::vector<double> values_s);
// The same measurements of something that takes `factor` times as long.
TimeStatistics scaled(const TimeStatistics& statistics, double factor);

}  // namespace cnnplan
