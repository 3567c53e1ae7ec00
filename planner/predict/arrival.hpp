// Estimates when ranks meet if their times vary.
#pragma once

#include <span>

namespace cnnplan {

// Says when some ranks reach an operation. Their times are normally distributed and independent.
struct Arrival {
  double time_s = 0.0;    // mean
  double spread_s = 0.0;  // standard deviation
  int ranks = 1;          // that have this distribution
  bool operator==(const Arrival&) const = default;
};

// Returns the mean time at which the last of all arrivals is there. The later of two arrivals is
// approximated by a normal distribution with its mean and variance (Clark 1961, "The greatest of a
// finite set of random variables"). The result is exact for two ranks and 0.3 % low for 16. For
// 1,024 ranks, the part above the latest mean is 15 % low. Without spread, the result is the latest
// mean.
// @pre `arrivals` is not empty, ranks >= 1
double expected_latest_s(std::span<const Arrival> arrivals);

}  // namespace cnnplan
