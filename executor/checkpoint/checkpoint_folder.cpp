// Makes the names of checkpoint files, and finds files of checkpoints that are no longer valid.
#include "executor/checkpoint/checkpoint_folder.hpp"

#include <charconv>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>

#include "planner/base/durable_file.hpp"
#include "planner/base/error.hpp"
#include "planner/base/writable_file.hpp"

namespace cnnplan {
namespace {

constexpr std::string_view file_name = "checkpoint.json";
constexpr std::string_view part_prefix = "part-";
constexpr std::string_view part_suffix = ".bin";

// Removes the number at the start of `name` and returns it. Returns nothing unless std::to_string
// would write the number so.
std::optional<std::int64_t> take_number(std::string_view& name) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  const std::size_t digits = end - name.data();
  if (error != std::errc{} || std::to_string(number) != name.substr(0, digits)) return std::nullopt;
  name.remove_prefix(digits);
  return number;
}

// Returns the generation in a name that part_name() made, and nothing for any other name.
std::optional<std::int64_t> generation_of(std::string_view name) {
  if (!name.starts_with(part_prefix)) return std::nullopt;
  name.remove_prefix(part_prefix.size());
  const std::optional<std::int64_t> generation = take_number(name);
  if (!generation || !name.starts_with('-')) return std::nullopt;
  name.remove_prefix(1);
  return take_number(name) && name == part_suffix ? generation : std::nullopt;
}

bool is_left_over(std::string_view name, std::int64_t generation) {
  const bool is_partial = name.ends_with(partial_suffix);
  if (is_partial) name.remove_suffix(std::string_view(partial_suffix).size());
  if (is_partial && name == file_name) return true;
  const std::optional<std::int64_t> found = generation_of(name);
  return found && (is_partial || *found != generation);
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
  require_replaceable_file(checkpoint_file(folder));
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
