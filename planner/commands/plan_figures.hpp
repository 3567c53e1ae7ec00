// Finds the platform and the profile from which the prices of a plan are computed.
#pragma once

#include <string>
#include <variant>

#include "planner/kernel/profile.hpp"
#include "planner/plan/plan.hpp"
#include "planner/platform/platform.hpp"

namespace cnnplan {

// Holds both inputs of a plan's prices.
struct PlanFigures {
  Platform platform;  // the default platform if the plan was made without one
  Profile profile;    // empty if the plan was made without one
};

// Returns the figures that the plan was made from, or a sentence that says why they are not at
// hand. An empty name means the default file, as for solve.
// @throws IoError; InputError for a wrong file
std::variant<PlanFigures, std::string> figures_of(const Plan& plan,
                                                  const std::string& platform_file,
                                                  const std::string& profile_file);

}  // namespace cnnplan
