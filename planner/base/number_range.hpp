// Defines ranges of the numbers that files and options may hold.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>
#include <string>

namespace cnnplan {

// Both ends are allowed.
struct IntegerRange {
  std::int64_t minimum = 0;
  std::int64_t maximum = std::numeric_limits<std::int64_t>::max();

  auto operator<=>(const IntegerRange&) const = default;
  constexpr bool holds(std::int64_t value) const { return minimum <= value && value <= maximum; }
};

// Returns "2", "1 to 3", or "at least 2" for a range without an upper end.
inline std::string count_text(const IntegerRange& count) {
  const std::string least = std::to_string(count.minimum);
  if (count.maximum == IntegerRange{}.maximum) return "at least " + least;
  return count.maximum == count.minimum ? least : least + " to " + std::to_string(count.maximum);
}

enum class Ends { closed, open_below, open_above };

struct NumberRange {
  double minimum = std::numeric_limits<double>::lowest();
  double maximum = std::numeric_limits<double>::max();
  Ends ends = Ends::closed;

  // False for NaN.
  constexpr bool holds(double value) const {
    const bool above = ends == Ends::open_below ? value > minimum : value >= minimum;
    const bool below = ends == Ends::open_above ? value < maximum : value <= maximum;
    return above && below;
  }
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
