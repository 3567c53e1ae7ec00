// Where two rising sums meet.
#pragma once

#include <functional>
#include <optional>
#include <vector>

namespace cnnplan {

// Of two plans, in seconds.
struct TwoSums {
  double plan_s = 0.0;
  double other_s = 0.0;
};

// The factor nearest to 1, of those between 1 and 2^end for any of `ends` (below 1 where the end is
// below 0), with which `other_s` is no longer above `plan_s`; nothing where there is none. `at` is
// asked for the sums with the factor 2^exponent. Where they are straight lines over the factor, the
// result is exact after three questions; at a bend it is to a millionth. A touch, and two crossings
// within 1 %, may be missed.
// @pre neither sum falls while the factor grows; other_s > plan_s at 0
std::optional<double> nearest_crossing(const std::function<TwoSums(double exponent)>& at,
                                       const std::vector<double>& ends);

// How far a factor is from 1, as far up as down: of logarithms.
double distance_from_one(double factor);

// What two sums differ by is less than they were rounded by.
bool is_tie(const TwoSums& sums);

}  // namespace cnnplan
