// Lowers convolutions whose halo travels while the kernel of their interior runs.
#pragma once

#include <vector>

#include "planner/schedule/blocks/interior.hpp"
#include "planner/schedule/lower/state/lowering_state.hpp"

namespace cnnplan {

// Returns the interior and the strips of the outputs of a unit; empty where one kernel computes all
// outputs.
std::vector<OutputPart> output_parts_of(const LoweringContext& context, const Unit& unit);
// Adds a kernel for each part. The interior reads the stored block, and strips read the block with
// its halo.
void convolve_parts(LoweringState& state, const Unit& unit, const std::vector<OutputPart>& parts);

}  // namespace cnnplan
