// Plans whose sums do not depend on the number of ranks.
#pragma once

#include <string>

#include "planner/plan/plan.hpp"

namespace cnnplan {

// Whether a plan with sample_blocks > 1 keeps to what that asks for: a power of two of them that
// the ranks divide and that divides the mini-batch; samples alone are split; batch norms over all
// ranks; on several ranks, allreduces that add as a tree; no multigrid.
// @throws InputError (pointer into plan.json)
void check_sample_blocks(const Plan& plan, const std::string& file);

// The one over all ranks that samples alone are split over.
Mesh sample_mesh(int ranks);

}  // namespace cnnplan
