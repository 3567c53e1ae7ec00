// Lowers the passes of batch norm, with an add and a ReLU that are fused into it.
#pragma once

#include "planner/schedule/lower/state/lowering_state.hpp"

namespace cnnplan {

// Adds the operations of a unit's forward pass, and calls add_running_values(). After the inputs
// are fetched, the operations in training are a kernel for sums, the allreduce of the sums, and the
// kernel that normalises. In inference, the last kernel is the only operation.
void forward_batch_norm(LoweringState& state, const Unit& unit);
// Adds the operations of a unit's backward pass. `gradient` is that of this rank's block of the
// unit's output. Its two terms are added by the kernel that reads them for its own sums.
void backward_batch_norm(LoweringState& state, const Unit& unit, const GradientTerms& gradient);

// Adds the memory for the running mean and the running variance of this rank's channels. The
// lowering calls it for batch norms that do not run in inference.
void add_running_values(const LoweringContext& context, OperationWriter& writer, const Unit& unit);

}  // namespace cnnplan
