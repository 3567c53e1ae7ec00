// Makes a small network with a residual chain, and plans that run it by multigrid.
#pragma once

#include "planner/plan/plan.hpp"

namespace cnnplan::test {

inline constexpr int chain_blocks = 16;
inline constexpr int chain_coarsening = 4;
inline constexpr int coarse_steps = chain_blocks / chain_coarsening;

// Returns a plan in fp64 with a batch norm before the chain. The chain is split over an axis l of
// all ranks, and the layers around it over n.
Plan residual_plan(int ranks, int cycles);

}  // namespace cnnplan::test
