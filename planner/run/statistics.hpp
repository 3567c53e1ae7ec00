// Summary of repeated measurements.
#pragma once

#include <compare>
#include <span>

#include "planner/run/run.hpp"

namespace cnnplan {

struct Statistics {
  int count = 0;
  double median_s = 0.0;
  double mean_s = 0.0;
  double stddev_s = 0.0;  // with count - 1 in the denominator
  double min_s = 0.0;
  double max_s = 0.0;
  auto operator<=>(const Statistics&) const = default;
};

// All zero for no values.
Statistics summarize(std::span<const double> values_s);
// The same measurements of something that takes `factor` times as long.
Statistics scaled(const Statistics& statistics, double factor);
// What a run keeps of it.
Measured measured(const Statistics& statistics);

// The mean of the two middle values where their number is even. @pre values is not empty
double median(std::span<const double> values);
// @pre values is not empty
double mean(std::span<const double> values);
// With n - 1 in the denominator; 0 for one value. @pre values is not empty
double standard_deviation(std::span<const double> values);
// Standard deviation between rows of values that were taken at the same time, whatever all have in
// common: from the median difference of two rows, which stray values do not raise.
// `values`: `rows` rows one after the other. 0 for one row.
// @pre rows >= 1, values.size() is a multiple of it
double spread_between(std::span<const double> values, int rows);

}  // namespace cnnplan
