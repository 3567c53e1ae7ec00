// Defines the units in which memory is allocated and moved between cores.
#pragma once

#include <cstddef>

namespace cnnplan {

// A cache line of the processor, in bytes. The widest vector register (AVX-512) is as long.
inline constexpr std::size_t cache_line_bytes = 64;
// A page of the operating system's memory, in bytes.
inline constexpr std::size_t page_bytes = 4096;

}  // namespace cnnplan
