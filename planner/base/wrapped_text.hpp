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

// Stands for a space at which no line is broken, as in a command within a sentence. Lines have a
// space in its place.
inline constexpr char unbroken_space = '\x1f';
// Returns `text` with unbroken spaces in place of all spaces.
std::string unbroken(std::string text);

// Returns `text` wrapped to `columns`, indentation included. Every line begins with `indent` spaces
// and ends with a line break. @pre indent < columns
std::string indented(std::string_view text, std::size_t indent, std::size_t columns);

// Returns `text` wrapped to `columns` after a name. The first line begins with `name`, and others
// are indented as far. @pre name.size() < columns
std::string wrapped(std::string_view name, std::string_view text, std::size_t columns);

}  // namespace cnnplan
