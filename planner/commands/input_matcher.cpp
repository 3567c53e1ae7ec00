// Compares digests of files with the digests in a plan, and crosses out the digests that it found.
#include "planner/commands/input_matcher.hpp"

#include <algorithm>

#include "planner/base/file.hpp"
#include "planner/base/sha256.hpp"
#include "planner/commands/file_or_default.hpp"

namespace cnnplan {

InputMatcher::InputMatcher(const Plan& plan) : any_(!plan.inputs.empty()), missing_(plan.inputs) {
  if (any_) missing_.erase(missing_.begin());
}

std::optional<std::string> InputMatcher::find(const std::string& named,
                                              const std::string& standard) {
  const std::string name = file_or_default(named, standard);
  if (name.empty() || !any_) return name.empty() ? std::nullopt : std::optional(name);
  const std::string digest = sha256(read_file(name));
  const auto found = std::find_if(missing_.begin(), missing_.end(), [&](const InputFile& input) {
    return input.sha256 == digest;
  });
  if (found == missing_.end()) {
    if (!named.empty()) other_ = named;
    return std::nullopt;
  }
  missing_.erase(found);
  return name;
}

std::string InputMatcher::problem() const {
  if (!other_.empty()) return other_ + " is none of the files that the plan was made from";
  if (missing_.empty()) return "";
  return "the prices need the " + missing_.front().file + " that the plan was made from (SHA-256 " +
         missing_.front().sha256 + "); name it with --platform or --profile";
}

}  // namespace cnnplan
