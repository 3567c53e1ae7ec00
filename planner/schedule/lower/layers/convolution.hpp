// Lowers the passes of layers that multiply channels with a weight: convolution, transposed
// convolution and fully connected.
#pragma once

#include "planner/schedule/lower/state/lowering_state.hpp"

namespace cnnplan {

// Both functions add all operations of a pass of a unit. `dy` is the gradient of this rank's block
// of the unit's output.
void forward_convolution(LoweringState& state, const Unit& unit);
void backward_convolution(LoweringState& state, const Unit& unit, const Operand& dy);

// These functions add the kernels of the two passes, which multigrid adds one by one.

// Adds the forward kernel from `input`, the needed block, to `output`, the computed block. A
// transposed convolution also gets the kernel that adds its bias.
void convolve(LoweringState& state,
              const Unit& unit,
              const LabelledId& named,
              const Operand& input,
              const Operand& output);
// Adds a forward kernel for a part of the output, whose shapes and window are in `spec`.
void convolve(LoweringState& state,
              const Unit& unit,
              const LabelledId& named,
              KernelSpec spec,
              const Operand& input,
              const Operand& output);
// Adds the backward kernel of a ReLU that is fused into the unit. Returns the gradient of the input
// of the ReLU, on this rank's block of the unit's output.
Operand backward_fused_relu(LoweringState& state,
                            const Unit& unit,
                            const LabelledId& named,
                            const Operand& dy);
// Adds the kernel that computes the gradient of the input from `dy`, on the computed block. Returns
// this gradient on the needed block. Its halo is not exchanged yet.
Operand convolve_back(LoweringState& state,
                      const Unit& unit,
                      const LabelledId& named,
                      const Operand& dy);
// Adds the kernels that compute the gradients of weight and bias from `dy`, on the computed block.
void backward_filter(LoweringState& state, const Unit& unit, const Operand& dy);

}  // namespace cnnplan
