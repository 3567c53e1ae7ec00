// Defines the units in which memory is allocated and moved between cores.
#pragma once

#include <cstddef>

namespace cnnplan {

// A cache line is as long as the widest vector.
inline constexpr std::size_t cache_line_bytes = 64;
inline constexpr std::size_t page_bytes = 4096;

}  // namespace cnnplan
