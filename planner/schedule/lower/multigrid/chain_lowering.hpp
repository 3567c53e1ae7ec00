// Lowers a chain of layers that multigrid runs.
#pragma once

#include "planner/schedule/lower/state/lowering_state.hpp"

namespace cnnplan {

// Returns the chain, which `plan` holds, that a unit belongs to; null where the unit is in none.
const Multigrid* chain_of(const Plan& plan, const Unit& unit);
// Adds the operations of the forward pass of all layers of a chain.
void forward_chain(LoweringState& state, const Multigrid& chain);
// Adds the operations of the backward pass of all layers of a chain.
void backward_chain(LoweringState& state, const Multigrid& chain);

}  // namespace cnnplan
