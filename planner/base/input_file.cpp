// Computes the name and the digest of a file.
#include "planner/base/input_file.hpp"

#include "planner/base/file.hpp"

namespace cnnplan {

InputFile input_file(std::string_view path, std::string_view content) {
  return {.file = base_name(path), .sha256 = sha256(content)};
}

}  // namespace cnnplan
