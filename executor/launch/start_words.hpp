// Says how to start the ranks of a plan.
#pragma once

#include <string>

#include "executor/launch/launch_environment.hpp"
#include "planner/plan/plan.hpp"

namespace cnnplan {

// Both functions return the beginning of a command, without the program. It has srun in a job of
// Slurm whose processes mpirun did not start, else mpirun.

// Returns a command that starts this number of ranks.
std::string start_words(int ranks, const LaunchEnvironment& launch);
// Returns a command that also places the ranks on the nodes for which the plan was priced.
// @throws InputError if the ranks do not fill these nodes
std::string placing_words(const Plan& plan, const LaunchEnvironment& launch);

}  // namespace cnnplan
