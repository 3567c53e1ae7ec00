// Writes the error message for an overflow.
#include "planner/base/checked.hpp"

#include <string>

namespace cnnplan {

void refuse_overflow(std::int64_t a, const char* sign, std::int64_t b) {
  throw InputError({.file = "",
                    .pointer = "",
                    .value = std::to_string(a) + " " + sign + " " + std::to_string(b),
                    .allowed = "sizes whose product stays below 2^63"});
}

}  // namespace cnnplan
