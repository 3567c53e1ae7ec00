// Lowers the passes of losses.
#pragma once

#include "planner/schedule/lower/state/lowering_state.hpp"

namespace cnnplan {

void forward_loss(LoweringState& state, const Unit& unit);
void backward_loss(LoweringState& state, const Unit& unit);

}  // namespace cnnplan
