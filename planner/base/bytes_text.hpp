// Writes amounts of memory for people to read.
#pragma once

#include <cstdint>
#include <string>

namespace cnnplan {

// Returns the amount in the largest binary unit, up to TiB, of which it has at least one: "1.50
// GiB", "12.00 MiB", "3.00 KiB". Fewer than 1024 bytes are written as "17 B".
std::string bytes_text(std::int64_t bytes);

}  // namespace cnnplan
