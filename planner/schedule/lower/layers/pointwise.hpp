// Lowers operators that are only planned: element-wise ones, whose second input may be a gate, and
// norms over channels.
#pragma once

#include "planner/schedule/lower/state/lowering_state.hpp"

namespace cnnplan {

// Fetches the inputs of a unit, and adds its output and its kernel.
void forward_pointwise(LoweringState& state, const Unit& unit);
// Adds one kernel that reads the inputs again and makes the gradients of all inputs. The gradient
// of a gate is this rank's part of a sum over positions. `dy` is the gradient of the rank's block
// of the unit's output.
void backward_pointwise(LoweringState& state, const Unit& unit, const Operand& dy);

}  // namespace cnnplan
