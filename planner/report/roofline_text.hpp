// Puts into words how close the kernels of a step come to the limits of the device.
#pragma once

#include <string>

#include "planner/base/terminal.hpp"
#include "planner/plan/roofline.hpp"

namespace cnnplan {

// Begins with the shares of the step that memory and arithmetic bound, the sum of the bounds, the
// three rows that lose most time above their bounds, and the estimated rows to time first. A legend
// and a table with the rows of rows_of() follow. There are at most 12 of them, and one for all
// other kernels, unless the text is `wide`. Lines have at most `columns` columns, except rows of a
// `wide` text.
std::string to_text(const Roofline& roofline, bool wide, std::size_t columns = usual_columns);

}  // namespace cnnplan
