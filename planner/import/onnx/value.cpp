// Returns dims of values, and texts of dims.
#include "planner/import/onnx/value.hpp"

#include <algorithm>

namespace cnnplan {

std::vector<std::int64_t> dims_of(const Constant& constant) {
  std::vector<std::int64_t> dims = constant.tensor->dims;
  if (constant.is_transposed) std::reverse(dims.begin(), dims.end());
  return dims;
}

std::string dims_text(const std::vector<std::int64_t>& dims) {
  constexpr std::size_t most = 16;
  std::string text;
  for (std::size_t i = 0; i < std::min(dims.size(), most); ++i) {
    if (i > 0) text += ", ";
    text += std::to_string(dims[i]);
  }
  if (dims.size() > most) text += ", ...";
  return '(' + text + ')';
}

}  // namespace cnnplan
