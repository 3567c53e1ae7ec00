// JSON or ONNX, by content.
#include "planner/import/onnx_file.hpp"

namespace cnnplan {

bool is_onnx(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && text[first] != '{' && text[first] != '[';
}

}  // namespace cnnplan
