// Refuses overflow in integer arithmetic, with which every size is computed before allocation.
#pragma once

#include <cstdint>

#include "planner/base/error.hpp"

namespace cnnplan {

// Throws the InputError of the functions below. Its message shows the calculation, in which `sign`
// ("*" or "+") stands between both numbers.
[[noreturn]] void refuse_overflow(std::int64_t a, const char* sign, std::int64_t b);

// Both functions return the exact product or sum.
// @throws InputError when the result is no 64-bit integer. It names no file; JsonReader::locate
// adds the place.
inline std::int64_t checked_multiply(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (__builtin_mul_overflow(a, b, &result)) refuse_overflow(a, "*", b);
  return result;
}

inline std::int64_t checked_add(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (__builtin_add_overflow(a, b, &result)) refuse_overflow(a, "+", b);
  return result;
}

}  // namespace cnnplan
