// Chooses the allreduces that a plan runs.
#pragma once

#include "planner/plan/plan.hpp"
#include "planner/platform/platform.hpp"

namespace cnnplan {

// Sets the algorithms of gradients, for the largest sum and for smaller ones, and of statistics,
// for a batch norm of 256 channels. Both are over all ranks. Sets the ranks per node, too. Where
// allreduces of this number of ranks were measured, the fastest of these is taken; for smaller sums
// only where it is clearly faster. Otherwise, gradients leave the ring for an algorithm that
// promises at least twice its speed, as all do for thousands of ranks, and statistics keep their
// default. Sharded updates take an algorithm that consists of a reduce_scatter and an allgather.
void choose_allreduce(Plan& plan, const Platform& platform);

}  // namespace cnnplan
