// Says how close sums of seconds have to be to count as equal.
#pragma once

namespace cnnplan {

// Bounds the relative rounding error of sums over all units.
inline constexpr double rounding_of_sums = 1e-12;

}  // namespace cnnplan
