// Lowers the forward pass of layers that copy channels: concat and slice. Their backward pass is
// propagate_gradient.
#pragma once

#include "planner/schedule/lower/state/lowering_state.hpp"

namespace cnnplan {

// Adds the output, and one transfer for each input.
void forward_copies(LoweringState& state, const Unit& unit);

}  // namespace cnnplan
