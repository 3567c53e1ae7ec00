// Defines ranges of the numbers that files and options may hold.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>
#include <string>

namespace cnnplan {

// Holds the integers from `minimum` to `maximum`. Both ends belong to the range.
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

// Says which ends belong to a range of real numbers: both, all except the minimum (open_below), or
// all except the maximum (open_above).
enum class Ends { closed, open_below, open_above };

// Holds the real numbers between two ends. The default holds every finite number.
struct NumberRange {
  double minimum = std::numeric_limits<double>::lowest();
  double maximum = std::numeric_limits<double>::max();
  Ends ends = Ends::closed;

  // True if the range has `value`. No range has NaN.
  constexpr bool holds(double value) const {
    const bool above = ends == Ends::open_below ? value > minimum : value >= minimum;
    const bool below = ends == Ends::open_above ? value < maximum : value <= maximum;
    return above && below;
  }
};

// Holds extents of tensors and windows, strides, numbers of channels, filters or groups, and
// batches.
inline constexpr IntegerRange extent_range{1, 2147483647};
// Holds padding of a window at one end, and indices of elements.
inline constexpr IntegerRange padding_range{0, 2147483647};
// Holds numbers of things that may be missing.
inline constexpr IntegerRange count_range{0, 2147483647};
inline constexpr NumberRange fraction_range{.minimum = 0.0, .maximum = 1.0};
// Holds numbers above 0, such as the maximum of a ReLU. None of them exceeds the largest 32-bit
// float, 3.4e38.
inline constexpr NumberRange positive_range{
    .minimum = 0.0, .maximum = 1e30, .ends = Ends::open_below};

}  // namespace cnnplan
