// Reads ranges such as 3:5 from command lines.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace cnnplan {

// Returns A and B of "A:B", which stands for the numbers from A up to B - 1. Returns nothing for
// other texts, for negative numbers, for a B above 2^40, and for a range without numbers.
inline std::optional<std::pair<std::int64_t, std::int64_t>> parse_index_range(
    std::string_view text) {
  constexpr std::int64_t most = std::int64_t{1} << 40;
  std::int64_t first = 0;
  std::int64_t end = 0;
  const char* const last = text.data() + text.size();
  const auto begin_read = std::from_chars(text.data(), last, first);
  if (begin_read.ec != std::errc{} || begin_read.ptr == last || *begin_read.ptr != ':') return {};
  const auto end_read = std::from_chars(begin_read.ptr + 1, last, end);
  if (end_read.ec != std::errc{} || end_read.ptr != last) return {};
  if (first < 0 || end <= first || end > most) return {};
  return std::pair(first, end);
}

// Returns a message for a text that is no such range, else an empty text. CLI11 takes such a
// function as the check of an option.
inline std::string index_range_problem(const std::string& text) {
  if (parse_index_range(text)) return {};
  return "'" + text + "' is no range; allowed: A:B with 0 <= A < B, which stands for A to B - 1";
}

}  // namespace cnnplan
