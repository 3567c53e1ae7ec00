// Finds the platform and the profile from which the prices of a plan are computed.
#pragma once

#include <string>
#include <variant>

#include "planner/kernel/profile.hpp"
#include "planner/plan/plan.hpp"
#include "planner/platform/platform.hpp"

namespace cnnplan {

// Holds the figures from which the prices of a plan are computed.
struct PlanFigures {
  Platform platform;
  Profile profile;
};

// Returns the figures that the plan was made from, or says why they are not at hand. Empty names
// mean the default files, as for solve.
// @throws IoError; InputError for a wrong file
std::variant<PlanFigures, std::string> figures_of(const Plan& plan,
                                                  const std::string& platform_file,
                                                  const std::string& profile_file);

}  // namespace cnnplan
