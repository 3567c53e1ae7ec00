// Integer arithmetic that refuses to overflow: every size is computed with it before allocation.
#pragma once

#include <cstdint>

#include "planner/model/error.hpp"

namespace cnnplan {

// @throws InputError when the exact result is not a 64-bit integer.
std::int64_t checked_multiply(std::int64_t a, std::int64_t b);
std::int64_t checked_add(std::int64_t a, std::int64_t b);

}  // namespace cnnplan
