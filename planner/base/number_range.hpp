// Ranges of the numbers that files and options may hold.
#pragma once

#include <cstdint>
#include <limits>

namespace cnnplan {

// Both ends are allowed.
struct IntegerRange {
  std::int64_t minimum = 0;
  std::int64_t maximum = std::numeric_limits<std::int64_t>::max();

  constexpr bool holds(std::int64_t value) const { return minimum <= value && value <= maximum; }
  constexpr bool is_bounded() const { return maximum != std::numeric_limits<std::int64_t>::max(); }
};

enum class Ends { closed, open_below, open_above };

struct NumberRange {
  double minimum = std::numeric_limits<double>::lowest();
  double maximum = std::numeric_limits<double>::max();
  Ends ends = Ends::closed;
};

inline constexpr IntegerRange extent_range{1, 2147483647};
inline constexpr IntegerRange padding_range{0, 2147483647};
inline constexpr IntegerRange count_range{0, 2147483647};
inline constexpr NumberRange fraction_range{.minimum = 0.0, .maximum = 1.0};
// The maximum is far above the values that 32-bit numbers are clipped at, and below the largest of
// these numbers.
inline constexpr NumberRange positive_range{
    .minimum = 0.0, .maximum = 1e30, .ends = Ends::open_below};

}  // namespace cnnplan
