// Names of files, and which of them are left over.
#include "executor/training/checkpoint_folder.hpp"

#include <filesystem>
#include <string_view>
#include <system_error>

#include "planner/model/durable_file.hpp"
#include "planner/model/error.hpp"
#include "planner/model/file.hpp"

namespace cnnplan {
namespace {

constexpr std::string_view file_name = "checkpoint.json";
constexpr std::string_view part_prefix = "part-";
constexpr std::string_view part_suffix = ".bin";

bool is_left_over(std::string_view name, std::int64_t generation) {
  const bool is_part = name.starts_with(part_prefix);
  if (name.ends_with(partial_suffix)) return is_part || name.starts_with(file_name);
  const std::string own = std::string(part_prefix) + std::to_string(generation) + '-';
  return is_part && name.ends_with(part_suffix) && !name.starts_with(own);
}

}  // namespace

std::string checkpoint_file(const std::string& folder) {
  return (std::filesystem::path(folder) / file_name).string();
}

std::string part_name(std::int64_t generation, int rank) {
  std::string name(part_prefix);
  name.append(std::to_string(generation)).append("-").append(std::to_string(rank));
  return name.append(part_suffix);
}

void require_folder(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw IoError(folder + ": cannot make this folder: " + error.message());
  check_writable(checkpoint_file(folder));
}

void remove_other_parts(const std::string& folder, std::int64_t generation) {
  std::error_code ignored;
  for (std::filesystem::directory_iterator entry(folder, ignored), end; !ignored && entry != end;
       entry.increment(ignored)) {
    std::error_code stays;
    const std::string name = entry->path().filename().string();
    if (is_left_over(name, generation)) std::filesystem::remove(entry->path(), stays);
  }
}

}  // namespace cnnplan
