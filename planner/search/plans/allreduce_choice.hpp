// Which allreduces a plan runs.
#pragma once

#include "planner/plan/plan.hpp"
#include "planner/platform/platform.hpp"

namespace cnnplan {

// Sets the algorithms of gradients, for the largest sum and for smaller ones, and of statistics,
// for a batch norm of 256 channels, over all ranks, and the ranks per node. Where allreduces of so
// many ranks were measured, the fastest of these, for smaller sums where that is clear. Else
// gradients leave the ring for what promises at least twice its speed, as all do for a ring through
// thousands of ranks, and statistics keep their default. For sharded updates, gradients take one
// that has halves.
void choose_allreduce(Plan& plan, const Platform& platform);

}  // namespace cnnplan
