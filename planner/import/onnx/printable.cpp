// Replaces characters that are not printable, one by one.
#include "planner/import/onnx/printable.hpp"

#include <algorithm>

namespace cnnplan {

std::string printable(std::string_view text) {
  constexpr std::size_t longest = 200;
  std::string clean(text.substr(0, longest));
  std::replace_if(
      clean.begin(), clean.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return clean;
}

}  // namespace cnnplan
