// Makes small random networks with a residual chain, and plans that split it by layers. They depend
// only on the seed.
#pragma once

#include <cstdint>

#include "planner/plan/plan.hpp"

namespace cnnplan::test {

// The network has a chain of 2 to 20 blocks after a convolution and a ReLU, which may be
// recomputed. A second chain may follow. A chain has a mesh of axes n and l, and stages that do not
// fall. Some stages have no block. Other layers have any mesh. Two in three plans run a chain by
// multigrid with any setting and up to 4 groups at the same time. The other plans run it in order.
Plan random_chain_plan(std::uint64_t seed, int ranks);
// Sets how many groups of every chain run at the same time.
Plan with_concurrency(Plan plan, int concurrency);

// Returns a plan that splits the chain of a random network over l and any other axes, and runs it
// in order.
Plan random_staged_plan(std::uint64_t seed, int ranks);

}  // namespace cnnplan::test
