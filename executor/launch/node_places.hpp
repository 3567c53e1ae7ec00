// Compares the nodes that ranks run on with the nodes for which the plan was priced.
#pragma once

#include <string>
#include <vector>

#include "executor/launch/launch_environment.hpp"
#include "planner/plan/plan.hpp"

namespace cnnplan {

// Says which node a rank is on. Ranks with equal numbers share memory.
struct RankNode {
  int node = 0;
  std::string host;
};

// Returns a sentence if two ranks that the plan was priced with on one node are on different nodes.
// The sentence ends with a command that places all ranks, if they fill their nodes. Otherwise, the
// text is empty. `nodes` has an entry for each rank of the plan.
std::string apart_text(const Plan& plan,
                       const std::vector<RankNode>& nodes,
                       const LaunchEnvironment& launch);

}  // namespace cnnplan
