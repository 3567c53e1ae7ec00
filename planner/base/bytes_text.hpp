// Writes amounts of memory and numbers of things for people to read.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace cnnplan {

// Returns the amount in the largest binary unit, up to TiB, of which it has at least one: "1.50
// GiB", "12.00 MiB", "3.00 KiB". Fewer than 1024 bytes are written as "17 B".
std::string bytes_text(std::int64_t bytes);

// Returns the number with its noun, which gets an s unless the number is 1: "1 rank", "2 ranks".
std::string counted(std::int64_t count, std::string_view noun);

}  // namespace cnnplan
