// Values that use every field of every file.
#pragma once

#include "planner/model/checkpoint.hpp"
#include "planner/model/network.hpp"
#include "planner/model/plan.hpp"
#include "planner/model/platform.hpp"
#include "planner/model/profile.hpp"
#include "planner/model/run.hpp"

namespace cnnplan::test {

// Every layer kind; one branch; two-dimensional.
Network sample_network();
// Three-dimensional, with windows that differ per dim.
Network sample_network_3d();
Platform sample_platform();
Profile sample_profile();
Plan sample_plan();
// A chain of five blocks split by layers, run by multigrid.
Plan sample_chain_plan();
RunReport sample_run();
Checkpoint sample_checkpoint();

}  // namespace cnnplan::test
