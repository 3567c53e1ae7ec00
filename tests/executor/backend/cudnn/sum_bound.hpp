// The error that a sum over many positions may have, and values that show larger errors.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace cnnplan::test {

// Returns the largest error of a sum of `terms` terms, relative to the sum of their absolute
// values.
inline double sum_bound(std::int64_t terms) {
  return 1e-6 * std::sqrt(std::log2(static_cast<double>(std::max<std::int64_t>(terms, 2))));
}

inline float one(std::int64_t) {
  return 1.0F;
}
// Most additions of this number in a chain round to the same side.
inline float one_and_some(std::int64_t) {
  return 1.3F;
}
// Returns a number in [0, 1) that looks random.
inline float mixed_value(std::int64_t index) {
  const auto mixed = static_cast<std::uint32_t>(index) * 2654435761U;
  return static_cast<float>(mixed >> 8) * 0x1p-24F;
}

}  // namespace cnnplan::test
