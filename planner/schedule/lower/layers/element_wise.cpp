// Adds the kernels of element-wise layers. An add without ReLU has no backward kernel.
#include "planner/schedule/lower/layers/element_wise.hpp"

#include <stdexcept>
#include <utility>
#include <variant>

#include "planner/kernel/kernel_operands.hpp"
#include "planner/schedule/lower/state/operation_names.hpp"

namespace cnnplan {
namespace {

// Returns a block of the forward pass that a backward kernel reads.
Operand saved_operand(LoweringState& state, const Unit& unit, OperandRole role) {
  if (role == OperandRole::y) return state.recompute.output(unit.last);
  if (role != OperandRole::x || !traits_of(state.context.parameters(unit)).reads_input_again) {
    throw std::logic_error(state.context.name(unit) +
                           " does not keep an operand of its backward kernel");
  }
  return state.recompute.input(unit, 0);
}

}  // namespace

void forward_element_wise(LoweringState& state, const Unit& unit) {
  SavedOperands& saved = state.tensors.saved(unit);
  for (std::size_t input = 0; input < unit.inputs.size(); ++input) {
    saved.inputs.push_back(state.tensors.fetch(unit, input));
  }
  saved.output = state.tensors.add_output(unit);
  std::vector<Operand> operands = saved.inputs;
  operands.push_back(as_written(saved.output));
  state.writer.kernel(
      unit, forward_element_wise_spec(state.context.local(unit)), std::move(operands));
}

void backward_element_wise(LoweringState& state, const Unit& unit, const Operand& dy) {
  const LoweringContext& context = state.context;
  const bool is_add = std::holds_alternative<Add>(context.parameters(unit));
  if (is_add && !unit.relu) return propagate_gradient(state, unit, dy);
  const Operand dx =
      state.writer.add_error_signal(context.name(unit) + "/dx", context.own_box(unit.last));
  const KernelSpec spec = backward_element_wise_spec(context.local(unit));
  std::vector<Operand> operands;
  for (const KernelOperand& operand : kernel_operands(spec)) {
    operands.push_back(operand.role == OperandRole::dy ? dy
                       : operand.written               ? as_written(dx)
                                                       : saved_operand(state, unit, operand.role));
  }
  state.writer.kernel(unit, spec, std::move(operands));
  propagate_gradient(state, unit, dx);
}

void propagate_gradient(LoweringState& state, const Unit& unit, const Operand& gradient) {
  const LayerParameters& parameters = state.context.parameters(unit);
  const auto* add = std::get_if<Add>(&parameters);
  const LabelledId named{.id = state.context.name(unit) + "/backward_scale",
                         .label = backward_data_label(unit.head)};
  for (std::size_t input = 0; input < unit.inputs.size(); ++input) {
    if (!state.context.decomposition().requires_gradient(unit.inputs[input])) continue;
    const bool scales = add != nullptr && input == 1 && is_scaled(*add);
    state.gradients.contribute(
        unit,
        input,
        {.operand = scales ? scaled_gradient(state, unit, named, gradient) : gradient,
         .shared = shares_gradient(parameters, input)});
  }
}

Operand scaled_gradient(LoweringState& state,
                        const Unit& unit,
                        const LabelledId& named,
                        const Operand& gradient) {
  const LoweringContext& context = state.context;
  const Operand dx =
      state.writer.add_error_signal(context.name(unit) + "/scaled_dx", context.own_box(unit.last));
  state.writer.kernel(
      unit,
      named,
      element_wise_spec(context.local(unit), KernelKind::add, KernelPhase::backward_data),
      {gradient, as_written(dx)});
  return dx;
}

}  // namespace cnnplan
