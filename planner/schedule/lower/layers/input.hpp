// Lowers the forward pass of the input, which loads samples and labels.
#pragma once

#include "planner/schedule/lower/state/lowering_state.hpp"

namespace cnnplan {

void forward_input(LoweringState& state, const Unit& unit);

}  // namespace cnnplan
