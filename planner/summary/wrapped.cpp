// Puts a name before the first line of a wrapped text.
#include "planner/summary/wrapped.hpp"

#include "planner/base/wrapped_text.hpp"

namespace cnnplan {

std::string wrapped(const std::string& name, const std::string& text, std::size_t width) {
  std::string lines = indented(text, name.size(), width);
  return lines.replace(0, name.size(), name);
}

}  // namespace cnnplan
