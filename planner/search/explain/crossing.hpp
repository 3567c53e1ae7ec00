// Finds the factor with which two rising sums meet.
#pragma once

#include <functional>
#include <optional>
#include <vector>

namespace cnnplan {

// Holds the sums of operations of two plans, with one value of a figure.
struct TwoSums {
  double plan_s = 0.0;
  double other_s = 0.0;
};

// Returns the factor nearest to 1 with which `other_s` is no longer above `plan_s`, or nothing
// where there is none. Factors lie between 1 and 2^end for any of `ends`. `at` returns the sums
// with the factor 2^exponent. Where the sums are straight lines over the factor, three calls of it
// give the exact result; at a bend, the result is exact to a millionth. A touch, and two crossings
// within 1 %, may be missed.
// @pre neither sum falls while the factor grows; other_s > plan_s at 0
std::optional<double> nearest_crossing(const std::function<TwoSums(double exponent)>& at,
                                       const std::vector<double>& ends);

// Returns how far a factor is from 1 on a logarithmic scale, where 2 is as far as 1/2.
double distance_from_one(double factor);

// True if both sums are equal up to rounding_of_sums.
bool is_tie(const TwoSums& sums);

}  // namespace cnnplan
