// Lowers the passes of batch norm, with an add and a ReLU that are fused into it.
#pragma once

#include "planner/schedule/lower/state/lowering_state.hpp"

namespace cnnplan {

void forward_batch_norm(LoweringState& state, const Unit& unit);
void backward_batch_norm(LoweringState& state, const Unit& unit, const Operand& dy);

// Adds the memory for the running mean and the running variance.
void add_running_values(const LoweringContext& context, OperationWriter& writer, const Unit& unit);

}  // namespace cnnplan
