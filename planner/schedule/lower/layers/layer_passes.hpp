// Lowers the forward and the backward pass of a unit, whatever its kind of layer.
#pragma once

#include "planner/schedule/lower/state/lowering_state.hpp"

namespace cnnplan {

// Adds the operations of a unit's forward pass. Call it for the units in order of execution.
void forward_unit(LoweringState& state, const Unit& unit);
// Adds the operations of a unit's backward pass, if the unit or a layer before it has parameters.
// Then tells GradientBuckets that the gradients of the unit's parameters are complete. Call it for
// the units in reverse order of execution.
void backward_unit(LoweringState& state, const Unit& unit);

}  // namespace cnnplan
