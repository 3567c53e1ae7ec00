// Adds the kernels of element-wise layers. An add without ReLU has no backward kernel.
#include "planner/schedule/lower/layers/element_wise.hpp"

#include <utility>
#include <variant>

#include "planner/schedule/lower/state/operation_names.hpp"

namespace cnnplan {

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
  const bool is_dropout = std::holds_alternative<Dropout>(context.parameters(unit));
  if (is_add && !unit.relu) return propagate_gradient(state, unit, dy);
  const Operand dx =
      state.writer.add_error_signal(context.name(unit) + "/dx", context.own_box(unit.last));
  std::vector<Operand> operands;
  if (!is_dropout) operands.push_back(state.recompute.output(unit.last));
  operands.insert(operands.end(), {dy, as_written(dx)});
  const KernelKind kind = is_dropout ? KernelKind::dropout : KernelKind::relu;
  state.writer.kernel(unit,
                      element_wise_spec(context.local(unit), kind, KernelPhase::backward_data),
                      std::move(operands));
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
