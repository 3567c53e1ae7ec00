// Chooses between the named file, the default and no file.
#include "planner/commands/file_or_default.hpp"

#include "planner/base/file.hpp"

namespace cnnplan {

std::string file_or_default(const std::string& named, const std::string& standard) {
  if (!named.empty()) return named;
  return file_exists(standard) ? standard : "";
}

}  // namespace cnnplan
