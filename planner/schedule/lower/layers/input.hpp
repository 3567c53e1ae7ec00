// Lowers the forward pass of the input, which loads samples and labels.
#pragma once

#include "planner/schedule/lower/state/lowering_state.hpp"

namespace cnnplan {

// Adds the buffers of samples and labels of this rank, and the operation that fills them.
void forward_input(LoweringState& state, const Unit& unit);

}  // namespace cnnplan
