// Lowers the passes of losses.
#pragma once

#include "planner/schedule/lower/state/lowering_state.hpp"

namespace cnnplan {

// Adds the kernel of the loss, and the allreduce of its value. @pre forward_input() added labels
void forward_loss(LoweringState& state, const Unit& unit);
// Contributes the gradient of the loss with respect to its input. @pre forward_loss() was called
void backward_loss(LoweringState& state, const Unit& unit);

}  // namespace cnnplan
