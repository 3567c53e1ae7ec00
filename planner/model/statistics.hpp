// Summary of repeated measurements.
#pragma once

#include <span>

#include "planner/model/run.hpp"

namespace cnnplan {

// The mean of the two middle values where their number is even. @pre values is not empty
double median(std::span<const double> values);
// @pre values is not empty
double mean(std::span<const double> values);
// With n - 1 in the denominator; 0 for one value. @pre values is not empty
double standard_deviation(std::span<const double> values);
// @pre values is not empty
Measured summarize(std::span<const double> values);

}  // namespace cnnplan
