// Says what a prediction assumes where nothing was measured, and which commands measure it.
#pragma once

#include <string>

#include "planner/kernel/profile.hpp"
#include "planner/plan/plan.hpp"
#include "planner/platform/platform.hpp"

namespace cnnplan {

// Holds options as the user typed them. Options that were not given are empty.
struct TypedOptions {
  std::string network_file;
  std::string profile_file;
  std::string uniform;
  std::string plan_file{};  // the file that is written
};

// True for plans with kernels that the profile of a network lacks: kernels of sample blocks, of
// interiors and strips, and kernels that run at the same time as others.
bool has_kernels_of_plans_only(const Plan& plan);
// Returns the command that times the kernels of plans for the network, with the ranks, batch,
// precision and input size of `plan`, and the mesh and the profile that the user gave. On cores,
// it starts the ranks of a node. For devices such as GPUs, one rank without mpirun is enough.
// @pre typed.network_file is given, and the platform has a level
std::string profile_advice(const Plan& plan,
                           const Platform& platform,
                           const Profile& profile,
                           const TypedOptions& typed);
// Returns the words that begin a command which times kernels of the plan: "cnnplan profile", and
// mpirun before it if the plan is for cores. mpirun starts the ranks of a node.
std::string profile_start(const Plan& plan);
// Returns the command that times the kernels which a plan had to estimate. `start` is
// profile_start() of the plan. The command does not name a plan that is a stream, or whose file is
// not known (an empty text).
std::string missing_command(const std::string& start, const std::string& plan_file);
// Returns the command that times the links between `ranks` ranks. For one rank, it times copies and
// additions only.
std::string links_advice(int ranks);

// Returns a note if kernels were timed with another number of busy ranks on a node than the plan
// has. Otherwise, returns a note on how many kernels are estimated, and from what. Both notes name
// the command that times the kernels. The text is empty if the plan runs all kernels as they were
// timed.
// @pre predict() made the prediction, the platform has a level, and typed.network_file is given
std::string kernels_note(const Plan& plan,
                         const Platform& platform,
                         const Profile& profile,
                         const TypedOptions& typed);

// Returns a line about layers of which some ranks have no part of the output. The text is empty if
// there are no such layers.
std::string idle_note(const Plan& plan);

// Returns a line about the layers of a uniform plan that have another mesh than the one that the
// user asked for, because they cannot take it. Empty if there are none.
std::string other_splits_note(const Plan& plan, const Mesh& asked);

// Returns up to three lines. The first one is about links whose figures are assumed, described but
// not measured, or measured with fewer ranks. The second one says that the platform lets kernels
// hide no communication, where the plan has overlap or runs on a device. The third one is
// kernels_note(). The text is empty if none of the three lines is due.
// @pre as kernels_note()
std::string assumptions(const Plan& plan,
                        const Platform& platform,
                        const Profile& profile,
                        const TypedOptions& typed);

}  // namespace cnnplan
