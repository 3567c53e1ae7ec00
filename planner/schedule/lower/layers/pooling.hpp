// Lowers the passes of pooling and global pooling.
#pragma once

#include "planner/schedule/lower/state/lowering_state.hpp"

namespace cnnplan {

// Fetches the input of a unit, and adds its output, its kernel, and the index of max pooling.
void forward_pooling(LoweringState& state, const Unit& unit);
// Adds the backward kernel, and contributes the gradient of the input. `dy` is the gradient of this
// rank's block of the unit's output.
void backward_pooling(LoweringState& state, const Unit& unit, const Operand& dy);

}  // namespace cnnplan
