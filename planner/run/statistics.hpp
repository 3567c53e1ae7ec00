// Summarises repeated measurements.
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
  double upper_quartile_s = 0.0;
  auto operator<=>(const Statistics&) const = default;
};

// Returns zeros where there are no values.
Statistics summarize(std::span<const double> values_s);
// Returns the statistics of an operation that takes `factor` times as long.
Statistics scaled(const Statistics& statistics, double factor);
// Returns the part of the statistics that a run file keeps.
Measured measured(const Statistics& statistics);

// Returns the mean of the two middle values where their number is even. @pre values is not empty
double median(std::span<const double> values);
// Returns a time that a quarter of the values exceed, interpolated between two values.
// @pre values is not empty
double upper_quartile(std::span<const double> values);
// @pre values is not empty
double mean(std::span<const double> values);
// Divides by n - 1. Returns 0 for one value. @pre values is not empty
double standard_deviation(std::span<const double> values);
// Returns the standard deviation between rows of values, without changes over time that all rows
// share. Values in one column were taken at one time. The median difference of two rows makes it
// robust against outliers. `values` holds `rows` rows one after the other. Returns 0 for one row.
// @pre rows >= 1, values.size() is a multiple of it
double spread_between(std::span<const double> values, int rows);

}  // namespace cnnplan
