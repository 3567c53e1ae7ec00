// Compares digests of files with the digests in a plan, and crosses out the digests that it found.
#include "planner/commands/input_matcher.hpp"

#include <algorithm>
#include <utility>

#include "planner/base/file.hpp"
#include "planner/base/sha256.hpp"
#include "planner/base/shipped_file.hpp"
#include "planner/commands/file_or_default.hpp"

namespace cnnplan {

InputMatcher::InputMatcher(const Plan& plan) : any_(!plan.inputs.empty()), missing_(plan.inputs) {
  if (any_) missing_.erase(missing_.begin());
}

std::optional<FoundFile> InputMatcher::find(const std::string& named, const std::string& standard) {
  const std::string name = file_or_default(named, standard);
  if (name.empty()) return shipped(standard);
  std::string text = read_file(name);
  if (!any_) return FoundFile{.name = name, .text = std::move(text)};
  const std::string digest = sha256(text);
  const auto found = std::find_if(missing_.begin(), missing_.end(), [&](const InputFile& input) {
    return input.sha256 == digest;
  });
  if (found == missing_.end()) {
    if (!named.empty()) other_ = named;
    return named.empty() ? shipped(standard) : std::nullopt;
  }
  missing_.erase(found);
  return FoundFile{.name = name, .text = std::move(text)};
}

std::optional<FoundFile> InputMatcher::shipped(const std::string& standard) {
  if (standard != default_platform_file) return std::nullopt;
  for (auto input = missing_.begin(); input != missing_.end(); ++input) {
    const std::string path = shipped_path(input->file, shipped_platforms);
    if (path.empty()) continue;
    std::string text = read_file(path);
    if (sha256(text) != input->sha256) continue;
    missing_.erase(input);
    return FoundFile{.name = path, .text = std::move(text)};
  }
  return std::nullopt;
}

std::string InputMatcher::problem() const {
  if (!other_.empty()) return other_ + " is none of the files that the plan was made from";
  if (missing_.empty()) return "";
  return "the prices need the " + missing_.front().file + " that the plan was made from (SHA-256 " +
         missing_.front().sha256 + "); name it with --platform or --profile";
}

}  // namespace cnnplan
