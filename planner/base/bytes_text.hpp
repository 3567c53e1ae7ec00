// Writes amounts of memory for people to read.
#pragma once

#include <cstdint>
#include <string>

namespace cnnplan {

// Returns "1.50 GiB", "12.00 MiB", "3.00 KiB", "17 B".
std::string bytes_text(std::int64_t bytes);

}  // namespace cnnplan
