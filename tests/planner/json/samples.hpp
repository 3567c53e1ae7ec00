// Makes values that use every field of every file.
#pragma once

#include "planner/kernel/profile.hpp"
#include "planner/network/network.hpp"
#include "planner/plan/plan.hpp"
#include "planner/platform/platform.hpp"
#include "planner/run/checkpoint.hpp"
#include "planner/run/run.hpp"

namespace cnnplan::test {

// Returns a two-dimensional network with every layer kind and one branch.
Network sample_network();
// Returns a three-dimensional network with windows that differ per dim.
Network sample_network_3d();
Platform sample_platform();
Profile sample_profile();
Plan sample_plan();
// Returns a plan that runs a chain of five blocks, split by layers, by multigrid.
Plan sample_chain_plan();
RunReport sample_run();
Checkpoint sample_checkpoint();

}  // namespace cnnplan::test
