// Small random networks with a residual chain, and plans that split it by layers: a function of the
// seed.
#pragma once

#include <cstdint>

#include "planner/plan/plan.hpp"

namespace cnnplan::test {

// A chain of 2 to 20 blocks behind a convolution and a ReLU, perhaps computed again, and one block
// or another chain behind it. The chain has a mesh of axes n and l and stages that do not fall,
// some of them without a block; other layers have any mesh. Two in three plans run it by multigrid
// with any setting, up to 4 groups at the same time, the others in order.
Plan random_chain_plan(std::uint64_t seed, int ranks);
// With so many groups of all chains at the same time.
Plan with_concurrency(Plan plan, int concurrency);

// The same, but the chain split over l and any other axes, and run in order.
Plan random_staged_plan(std::uint64_t seed, int ranks);

}  // namespace cnnplan::test
