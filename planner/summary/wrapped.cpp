// Fills lines word by word.
#include "planner/summary/wrapped.hpp"

#include <sstream>

namespace cnnplan {

std::string wrapped(const std::string& name, const std::string& text, std::size_t width) {
  std::string lines;
  std::string line = name;
  bool is_first = true;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const std::size_t gap = is_first ? 0 : 1;
    if (!is_first && line.size() + gap + word.size() > width) {
      lines += line + '\n';
      line = std::string(name.size(), ' ') + word;
    } else {
      line += std::string(gap, ' ') + word;
    }
    is_first = false;
  }
  return lines + line + '\n';
}

}  // namespace cnnplan
