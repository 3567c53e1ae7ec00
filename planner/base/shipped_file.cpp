// Looks for shipped files relative to the running program.
#include "planner/base/shipped_file.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>

#include "planner/base/error.hpp"
#include "planner/base/file.hpp"
#include "planner/base/similar_names.hpp"

namespace cnnplan {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view suffix = ".json";

// Relative to the folder of the program: an installation, a bundle, and build folders of a clone.
constexpr std::array<std::string_view, 4> places{
    "../share/cnnplan", "../configs", "../../configs", "../../../configs"};

// Returns the first of the places that exists, or an empty path.
fs::path shipped_folder(std::string_view folder) {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (error) return {};
  for (const std::string_view place : places) {
    const fs::path path = program.parent_path() / place / folder;
    if (fs::is_directory(path, error)) return path.lexically_normal();
  }
  return {};
}

std::string without_suffix(const std::string& name) {
  return name.ends_with(suffix) ? name.substr(0, name.size() - suffix.size()) : name;
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

}  // namespace

std::vector<std::string> shipped_names(std::string_view folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(shipped_folder(folder), error)) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(suffix)) names.push_back(without_suffix(name));
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string shipped_path(const std::string& name, std::string_view folder) {
  if (name.empty() || name.find('/') != std::string::npos) return {};
  const fs::path place = shipped_folder(folder);
  if (place.empty()) return {};
  std::string path = (place / (without_suffix(name) + std::string(suffix))).string();
  return file_exists(path) ? path : std::string();
}

std::string report_page_path() {
  const fs::path place = shipped_folder("page");
  std::error_code error;
  const fs::path page = place / "report.html";
  return !place.empty() && fs::is_regular_file(page, error) ? page.string() : std::string();
}

std::string file_or_shipped(const std::string& name, std::string_view folder) {
  if (name.find('/') != std::string::npos || file_exists(name)) return name;
  if (std::string path = shipped_path(name, folder); !path.empty()) return path;
  const std::vector<std::string> names = shipped_names(folder);
  if (names.empty()) return name;
  const std::string similar = did_you_mean(without_suffix(name), names);
  throw IoError(name + ": no such file, and none of the shipped " + std::string(folder) +
                (similar.empty() ? ": " + joined(names) : similar));
}

}  // namespace cnnplan
