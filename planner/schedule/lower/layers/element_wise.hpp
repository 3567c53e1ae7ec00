// Lowers layers whose outputs have the places of their inputs, such as ReLU, dropout, add and local
// response norm.
#pragma once

#include "planner/schedule/lower/state/lowering_state.hpp"

namespace cnnplan {

// Fetches the inputs of a unit, and adds its output and its kernel.
void forward_element_wise(LoweringState& state, const Unit& unit);
// Adds the backward kernel, if the layer has one, and then calls propagate_gradient(). `dy` is the
// gradient of this rank's block of the unit's output. The row of the kernel's kind in
// planner/kernel/kernel_kinds.cpp says whether the kernel reads the output or the input again.
void backward_element_wise(LoweringState& state, const Unit& unit, const Operand& dy);

// Contributes a gradient to every input that requires one. `gradient` is on this rank's block of
// the unit's output. An input of a concat gets the gradient of its channels, and the input of a
// slice gets a gradient for some of its channels. The second input of a scaled add gets the
// gradient times the scale.
void propagate_gradient(LoweringState& state, const Unit& unit, const Operand& gradient);
// Adds the kernel that multiplies a gradient with the scale of an add, and returns the result.
Operand scaled_gradient(LoweringState& state,
                        const Unit& unit,
                        const LabelledId& named,
                        const Operand& gradient);

}  // namespace cnnplan
