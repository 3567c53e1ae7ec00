// Overflow checks by the compiler's built-ins.
#include "planner/model/checked.hpp"

#include <string>

namespace cnnplan {
namespace {

[[noreturn]] void refuse(std::int64_t a, const char* sign, std::int64_t b) {
  throw InputError({.file = "",
                    .pointer = "",
                    .value = std::to_string(a) + " " + sign + " " + std::to_string(b),
                    .allowed = "sizes whose product stays below 2^63"});
}

}  // namespace

std::int64_t checked_multiply(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (__builtin_mul_overflow(a, b, &result)) refuse(a, "*", b);
  return result;
}

std::int64_t checked_add(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  if (__builtin_add_overflow(a, b, &result)) refuse(a, "+", b);
  return result;
}

}  // namespace cnnplan
