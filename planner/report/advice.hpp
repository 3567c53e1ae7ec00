// What a prediction assumes where nothing was measured, and the commands that measure it.
#pragma once

#include <string>

#include "planner/kernel/profile.hpp"
#include "planner/plan/plan.hpp"
#include "planner/platform/platform.hpp"

namespace cnnplan {

// As the user typed them; empty where not given.
struct TypedOptions {
  std::string network_file;
  std::string profile_file;
  std::string uniform;
  std::string plan_file{};  // that is written
};

// True where the profile of a network, without a plan, lacks kernels: those of blocks of samples,
// those at the same time as others, interiors and strips.
bool has_kernels_of_plans_only(const Plan& plan);
// The command that times the kernels of a plan, at the plan's input size.
std::string profile_advice(const Plan& plan, const TypedOptions& typed);
// The command that times the links between so many ranks.
std::string links_advice(int ranks);

// Kernels that were timed with other than the plan's number of busy ranks on a node, else those
// that are estimated, and how to time them. Empty where all were timed as the plan runs them.
std::string kernels_note(const Plan& plan,
                         const Platform& platform,
                         const Profile& profile,
                         const TypedOptions& typed);

// A line on layers of whose output some ranks have no part; empty where there is none.
std::string idle_note(const Plan& plan);

// A line for each: links that are assumed or were measured with fewer ranks, and kernels_note.
// Empty where the prediction rests on measurements of just this. @pre the platform has a level
std::string assumptions(const Plan& plan,
                        const Platform& platform,
                        const Profile& profile,
                        const TypedOptions& typed);

}  // namespace cnnplan
