// Dims of values.
#include "planner/import/value.hpp"

#include <algorithm>

namespace cnnplan {

std::vector<std::int64_t> dims_of(const Constant& constant) {
  std::vector<std::int64_t> dims = constant.tensor->dims;
  if (constant.is_transposed) std::reverse(dims.begin(), dims.end());
  return dims;
}

std::string dims_text(const std::vector<std::int64_t>& dims) {
  std::string text;
  for (const std::int64_t extent : dims) {
    if (!text.empty()) text += ", ";
    text += std::to_string(extent);
  }
  return '(' + text + ')';
}

}  // namespace cnnplan
