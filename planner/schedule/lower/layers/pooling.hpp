// Lowers the passes of pooling and global pooling.
#pragma once

#include "planner/schedule/lower/state/lowering_state.hpp"

namespace cnnplan {

void forward_pooling(LoweringState& state, const Unit& unit);
// `dy` is the gradient of this rank's block of the unit's output.
void backward_pooling(LoweringState& state, const Unit& unit, const Operand& dy);

}  // namespace cnnplan
