// Compares values of programs with the ranges of files.
#include "planner/api/checks.hpp"

#include <optional>
#include <string>

#include "planner/api/values.hpp"
#include "planner/base/error.hpp"
#include "planner/base/input_file.hpp"
#include "planner/base/number_range.hpp"
#include "planner/plan/plan.hpp"
#include "planner/platform/same_device.hpp"

namespace cnnplan::api {
inline namespace v1 {

void require_ranks(const char* option, int ranks) {
  constexpr IntegerRange range{1, max_ranks};
  if (range.holds(ranks)) return;
  throw InputError({.file = option,
                    .pointer = "",
                    .value = std::to_string(ranks),
                    .allowed = count_text(range)});
}

void require_same_device(const Platform& platform, const Profile& profile) {
  const std::optional<InputFile>& file = profile.value().file;
  check_same_device(
      platform.value().platform, profile.value().profile, file ? file->file : std::string());
}

}  // namespace v1
}  // namespace cnnplan::api
