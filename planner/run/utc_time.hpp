// Writes the date of a run for its file.
#pragma once

#include <ctime>
#include <string>

namespace cnnplan {

// Returns the time in UTC as ISO 8601, to the second: "2026-11-29T14:17:10Z". `seconds` counts from
// the beginning of 1970, and its year has at most four digits.
std::string utc_text(std::time_t seconds);

}  // namespace cnnplan
