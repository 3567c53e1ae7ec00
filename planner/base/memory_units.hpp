// Defines the units in which memory is allocated and moved between cores.
#pragma once

#include <cstddef>

namespace cnnplan {

// This is the size of a cache line of the processor. The widest vector register (AVX-512) is as
// long.
inline constexpr std::size_t cache_line_bytes = 64;
// This is the size of a page of the operating system's memory.
inline constexpr std::size_t page_bytes = 4096;

}  // namespace cnnplan
