// Lowers the passes of layers that rearrange their input: upsampling and channel shuffle.
#pragma once

#include "planner/schedule/lower/state/lowering_state.hpp"

namespace cnnplan {

// Fetches the input of a unit, and adds its output and its kernel.
void forward_rearrangement(LoweringState& state, const Unit& unit);
// Adds the backward kernel, and contributes the gradient of the input. `dy` is the gradient of this
// rank's block of the unit's output.
void backward_rearrangement(LoweringState& state, const Unit& unit, const Operand& dy);

}  // namespace cnnplan
