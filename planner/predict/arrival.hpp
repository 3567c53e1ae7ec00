// Estimates when the last of several ranks reaches an operation that they share, if their times
// vary.
#pragma once

#include <span>

namespace cnnplan {

// Says when some ranks reach an operation, in seconds from the begin of the step. The times of the
// ranks are normally distributed and independent.
struct Arrival {
  double time_s = 0.0;    // mean
  double spread_s = 0.0;  // standard deviation
  int ranks = 1;          // that have this distribution
  bool operator==(const Arrival&) const = default;
};

// Returns the mean time at which the last of all arrivals is there. The later of two arrivals is
// approximated by a normal distribution with its mean and variance (Clark 1961, "The greatest of a
// finite set of random variables"). For equal arrivals, the part of the result above the mean is
// exact for two ranks, 0.3 % low for 16 and 15 % low for 1,024. Without spread, the result is the
// latest mean.
// @pre `arrivals` is not empty, ranks >= 1
double expected_latest_s(std::span<const Arrival> arrivals);

}  // namespace cnnplan
