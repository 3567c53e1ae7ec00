// Breaks text at spaces.
#include "planner/base/wrapped_text.hpp"

#include <algorithm>
#include <utility>

namespace cnnplan {
namespace {

// Appends the lines of a text without line breaks.
void append_wrapped(std::string_view text, std::size_t columns, std::vector<std::string>& lines) {
  std::string line;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (word.empty()) continue;
    if (!line.empty() && line.size() + 1 + word.size() > columns) {
      lines.push_back(std::move(line));
      line.clear();
    }
    if (!line.empty()) line += ' ';
    line += word;
  }
  lines.push_back(std::move(line));
}

}  // namespace

std::string unbroken(std::string text) {
  std::replace(text.begin(), text.end(), ' ', unbroken_space);
  return text;
}

std::vector<std::string> wrapped(std::string_view text, std::size_t columns) {
  std::vector<std::string> lines;
  while (true) {
    const std::size_t end = text.find('\n');
    append_wrapped(text.substr(0, end), columns, lines);
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  for (std::string& line : lines) std::replace(line.begin(), line.end(), unbroken_space, ' ');
  return lines;
}

std::string indented(std::string_view text, std::size_t indent, std::size_t columns) {
  std::string result;
  for (const std::string& line : wrapped(text, columns - indent)) {
    result.append(indent, ' ').append(line).append("\n");
  }
  return result;
}

std::string wrapped(std::string_view name, std::string_view text, std::size_t columns) {
  std::string lines = indented(text, name.size(), columns);
  return lines.replace(0, name.size(), name);
}

}  // namespace cnnplan
