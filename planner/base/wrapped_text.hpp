// Breaks text into lines that fit a number of columns.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace cnnplan {

// Returns lines of at most `columns` characters, broken at spaces. A longer word has a line of its
// own. A line break in `text` stays. Words of a line are one space apart.
std::vector<std::string> wrapped(std::string_view text, std::size_t columns);

// Returns `text` wrapped to `columns`, indentation included. Every line begins with `indent` spaces
// and ends with a line break. @pre indent < columns
std::string indented(std::string_view text, std::size_t indent, std::size_t columns);

}  // namespace cnnplan
