// Writes a summary for a person.
#pragma once

#include <cstddef>
#include <string>

#include "planner/base/terminal.hpp"
#include "planner/summary/summary.hpp"

namespace cnnplan {

// A summary has at most this number of lines.
inline constexpr std::size_t most_summary_lines = 8;

// Returns how fast a plan is, compared with another one whose step is `ratio` times as long: "1.25
// times as fast", or "as fast" where the two digits after the point are 0. A word such as "as"
// follows.
std::string times_as_fast(double ratio);

// Returns a sentence with predicted and measured time and rate, without a line break. The error is
// the predicted step less the measured one, as a share of the measured one.
// @pre measured_s > 0
std::string measured_text(const Summary& summary, double measured_s);

// Returns at most most_summary_lines lines of at most `width` columns, where `width` is 80 or more
// and names of layers are not longer. Groups of layers are listed if they fit. Otherwise, the most
// frequent splits are listed with their numbers of layers. Details that do not fit are left out. If
// the summary has a measured step, it comes first, and the sentence on how sure the choice is
// (Confidence) is left out.
std::string to_text(const Summary& summary, std::size_t width = usual_columns);

// Returns the text of a summary with its most important words emphasised by escape sequences of a
// terminal: the lines before the plan, and the words "Loses against".
std::string with_colours(std::string summary_text);

// Returns to_text(summary) as wide as the terminal of stdout, with colours if that terminal has
// them.
std::string shown_text(const Summary& summary);

}  // namespace cnnplan
