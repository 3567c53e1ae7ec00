// How equal sums of seconds have to be.
#pragma once

namespace cnnplan {

// Of sums over all units, relative to them.
inline constexpr double rounding_of_sums = 1e-12;

}  // namespace cnnplan
