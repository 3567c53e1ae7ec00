// Chooses between the named file, the default and no file.
#include "planner/commands/file_or_default.hpp"

#include "planner/base/file.hpp"
#include "planner/base/shipped_file.hpp"

namespace cnnplan {

std::string file_or_default(const std::string& named, const std::string& standard) {
  const bool may_be_shipped = standard == default_platform_file;
  if (!named.empty()) return may_be_shipped ? file_or_shipped(named, shipped_platforms) : named;
  return file_exists(standard) ? standard : "";
}

}  // namespace cnnplan
