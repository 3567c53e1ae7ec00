// Lowers convolutions whose halo travels while the kernel of their interior runs.
#pragma once

#include <vector>

#include "planner/schedule/blocks/interior.hpp"
#include "planner/schedule/lower/state/lowering_state.hpp"

namespace cnnplan {

// Returns the interior and the strips of this rank's outputs of a unit. The list is empty where one
// kernel computes all outputs, or none.
std::vector<OutputPart> output_parts_of(const LoweringContext& context, const Unit& unit);
// Adds a kernel for each part. The interior reads the stored block, and strips read the block with
// its halo. @pre the unit's input is fetched, and its output is added
void convolve_parts(LoweringState& state, const Unit& unit, const std::vector<OutputPart>& parts);

}  // namespace cnnplan
