// Looks for the files that the plan records.
#include "planner/commands/plan_figures.hpp"

#include "planner/commands/file_or_default.hpp"
#include "planner/commands/input_matcher.hpp"

namespace cnnplan {

std::variant<PlanFigures, std::string> figures_of(const Plan& plan,
                                                  const std::string& platform_file,
                                                  const std::string& profile_file) {
  InputMatcher inputs(plan);
  const auto platform = inputs.find(platform_file, default_platform_file);
  const auto profile = inputs.find(profile_file, default_profile_file);
  if (!inputs.problem().empty()) return inputs.problem();
  return PlanFigures{.platform = platform ? parse_platform(platform->text, platform->name)
                                          : default_platform(plan.ranks),
                     .profile = profile ? parse_profile(profile->text, profile->name) : Profile{}};
}

}  // namespace cnnplan
