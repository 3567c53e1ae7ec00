// Checks plans whose sums do not depend on the number of ranks.
#pragma once

#include <string>

#include "planner/plan/plan.hpp"

namespace cnnplan {

// Checks a plan with sample_blocks > 1. The number of blocks is a power of two that divides the
// mini-batch and that the ranks divide. Only samples are split, and there is no multigrid. Batch
// norms use the statistics of all ranks. On several ranks, allreduces add as a tree.
// @throws InputError (pointer into plan.json)
void check_sample_blocks(const Plan& plan, const std::string& file);

// Returns the mesh that splits only samples, over all ranks. @pre ranks >= 1
Mesh sample_mesh(int ranks);

}  // namespace cnnplan
