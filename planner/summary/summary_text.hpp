// Writes a summary for a person.
#pragma once

#include <cstddef>
#include <string>

#include "planner/summary/summary.hpp"
#include "planner/summary/wrapped.hpp"

namespace cnnplan {

inline constexpr std::size_t most_summary_lines = 8;

// Returns at most most_summary_lines lines of at most `width` columns, where `width` is 80 or more
// and names of layers are not longer. Groups of layers are listed where that fits, else splits with
// their numbers of layers.
std::string to_text(const Summary& summary, std::size_t width = usual_width);

}  // namespace cnnplan
