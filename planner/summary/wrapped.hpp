// Breaks text into lines that fit the terminal.
#pragma once

#include <cstddef>
#include <string>

namespace cnnplan {

// Breaks `text` between words into lines of at most `width` columns. The first line begins with
// `name`, and others are indented as far. A longer word has a line of its own.
std::string wrapped(const std::string& name, const std::string& text, std::size_t width);

}  // namespace cnnplan
