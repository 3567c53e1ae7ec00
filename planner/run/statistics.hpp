// Summarises repeated measurements.
#pragma once

#include <compare>
#include <span>

#include "planner/run/run.hpp"

namespace cnnplan {

// Summarises times of repetitions.
struct Statistics {
  int count = 0;  // values
  double median_s = 0.0;
  double mean_s = 0.0;
  double stddev_s = 0.0;  // with count - 1 in the denominator
  double min_s = 0.0;
  double max_s = 0.0;
  double upper_quartile_s = 0.0;
  auto operator<=>(const Statistics&) const = default;
};

// Returns the statistics of the values, or zeros where there are none.
Statistics summarize(std::span<const double> values_s);
// Returns the statistics of an operation that takes `factor` times as long.
Statistics scaled(const Statistics& statistics, double factor);
// Returns the part of the statistics that a run file keeps.
Measured measured(const Statistics& statistics);

// Returns the middle value, or the mean of both middle values if their number is even.
// @pre values is not empty
double median(std::span<const double> values);
// Returns a time that a quarter of the values exceed, interpolated between two values.
// @pre values is not empty
double upper_quartile(std::span<const double> values);
// Returns the arithmetic mean. @pre values is not empty
double mean(std::span<const double> values);
// Returns the standard deviation of n values, with n - 1 in the denominator. It is 0 for one value.
// @pre values is not empty
double standard_deviation(std::span<const double> values);
// Estimates the standard deviation between rows of values, such as the times of several ranks.
// Values in one column were taken at one time, so changes over time that all rows share do not
// count. The estimate is robust against outliers: it is the median absolute difference of two
// values of a column, over 0.6745 sqrt(2), as for normal distributions. `values` holds `rows` rows
// one after the other. Returns 0 for one row, or without values.
// @pre rows >= 1, values.size() is a multiple of it
double spread_between(std::span<const double> values, int rows);

}  // namespace cnnplan
