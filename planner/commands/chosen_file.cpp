// Chooses between the named file, the default and no file.
#include "planner/commands/chosen_file.hpp"

#include "planner/base/file.hpp"

namespace cnnplan {

std::string chosen_file(const std::string& named, const std::string& standard) {
  if (!named.empty()) return named;
  return file_exists(standard) ? standard : "";
}

}  // namespace cnnplan
