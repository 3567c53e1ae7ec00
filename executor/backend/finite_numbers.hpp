// Tells whether all numbers of an array in the host's memory are finite.
#pragma once

#include <cstdint>

#include "planner/tensor/element.hpp"

namespace cnnplan {

// Reads `count` numbers in memory of the host once. False if one is NaN or infinite.
bool are_finite(ElementType element, const void* memory, std::int64_t count);

}  // namespace cnnplan
