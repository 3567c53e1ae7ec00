// Adds a kernel for each pass of an operator that is only planned.
#include "planner/schedule/lower/layers/pointwise.hpp"

#include <string>
#include <utility>
#include <vector>

namespace cnnplan {

void forward_pointwise(LoweringState& state, const Unit& unit) {
  SavedOperands& saved = state.tensors.saved(unit);
  for (std::size_t input = 0; input < unit.inputs.size(); ++input) {
    saved.inputs.push_back(state.tensors.fetch(unit, input));
  }
  saved.output = state.tensors.add_output(unit);
  std::vector<Operand> operands = saved.inputs;
  operands.push_back(as_written(saved.output));
  state.writer.kernel(
      unit, pointwise_spec(state.context.local(unit), KernelPhase::forward), std::move(operands));
}

void backward_pointwise(LoweringState& state, const Unit& unit, const Operand& dy) {
  const LoweringContext& context = state.context;
  std::vector<Operand> operands;
  std::vector<Operand> gradients;
  for (std::size_t input = 0; input < unit.inputs.size(); ++input) {
    operands.push_back(state.recompute.input(unit, input));
    const std::string name = context.name(unit) + (input == 0 ? "/dx" : "/dx_of_second");
    gradients.push_back(state.writer.add_error_signal(name, context.needed_box(unit, input)));
  }
  operands.push_back(dy);
  for (const Operand& gradient : gradients) operands.push_back(as_written(gradient));
  state.writer.kernel(
      unit, pointwise_spec(context.local(unit), KernelPhase::backward_data), std::move(operands));
  for (std::size_t input = 0; input < unit.inputs.size(); ++input) {
    if (!context.decomposition().requires_gradient(unit.inputs[input])) continue;
    state.gradients.contribute(unit, input, {.operand = gradients[input]});
  }
}

}  // namespace cnnplan
