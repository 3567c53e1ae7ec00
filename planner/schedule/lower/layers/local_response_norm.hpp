// Lowers the backward pass of local response norms. Their forward pass is forward_element_wise.
#pragma once

#include "planner/schedule/lower/state/lowering_state.hpp"

namespace cnnplan {

void backward_local_response_norm(LoweringState& state, const Unit& unit, const Operand& dy);

}  // namespace cnnplan
