// Tells JSON from ONNX by the content, and reads whole models of bounded size.
#include <filesystem>
#include <system_error>
#include <utility>

#include "planner/base/error.hpp"
#include "planner/base/file.hpp"
#include "planner/import/onnx/onnx_file.hpp"

namespace cnnplan {

bool is_onnx(std::string_view text) {
  text = without_byte_order_mark(text);
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && text[first] != '{' && text[first] != '[';
}

std::string read_onnx_file(const std::string& file) {
  std::error_code error;
  const auto size = std::filesystem::file_size(file, error);
  if (!error && std::cmp_greater(size, max_onnx_bytes)) {
    throw InputError({.file = file,
                      .pointer = "",
                      .value = std::to_string(size) + " bytes",
                      .allowed = "at most " + std::to_string(max_onnx_bytes) +
                                 "; larger models keep values in other files"});
  }
  return read_file(file);
}

}  // namespace cnnplan
