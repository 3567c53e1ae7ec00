// Chooses the allreduces that a plan runs.
#pragma once

#include "planner/plan/plan.hpp"
#include "planner/platform/platform.hpp"

namespace cnnplan {

// Sets the algorithms of gradients, for the largest sum and for smaller ones, and of statistics,
// for a batch norm of 256 channels. Both are over all ranks. Sets the ranks per node, too. Where
// allreduces on this number of ranks were measured, the fastest of them and the ring is taken.
// Smaller sums leave the algorithm of the largest sum only for one that is 5 % faster. Where none
// was measured, the largest sum leaves the ring only for an algorithm that promises at least twice
// its speed. Smaller sums then leave the algorithm of the largest sum by the same rule, and
// statistics keep their default. With blocks of samples, only algorithms that add as a tree are
// compared. Sharded updates take an algorithm that consists of a reduce_scatter and an allgather.
void choose_allreduce(Plan& plan, const Platform& platform);

}  // namespace cnnplan
