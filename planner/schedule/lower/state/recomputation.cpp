// Adds forward kernels to the backward pass. They read the same inputs, so they make the same bits.
#include "planner/schedule/lower/state/recomputation.hpp"

#include <utility>
#include <variant>

#include "planner/kernel/kernel_work.hpp"
#include "planner/schedule/lower/state/batch_norm_operands.hpp"
#include "planner/schedule/lower/state/operation_names.hpp"

namespace cnnplan {

Recomputation::Recomputation(const LoweringContext& context,
                             OperationWriter& writer,
                             TensorTable& tensors,
                             const ParameterLayout& parameters)
    : context_(context),
      writer_(writer),
      tensors_(tensors),
      parameters_(parameters),
      outputs_(context.network().layers().size()),
      fetched_(context.network().layers().size()) {}

Operand Recomputation::output(LayerIndex layer) {
  const Unit& unit = context_.decomposition().unit_of(layer);
  const bool is_lowered = context_.is_lowered(context_.decomposition().index_of(unit));
  if (!context_.recomputes(unit) || !is_lowered) return tensors_.output(layer);
  Operand& again = outputs_[layer];
  if (again.buffer < 0) again = compute(unit);
  return again;
}

Operand Recomputation::input(const Unit& unit, std::size_t input) {
  const LayerIndex source = unit.inputs[input];
  if (!context_.recomputes(context_.decomposition().unit_of(source))) {
    return tensors_.saved(unit).inputs[input];
  }
  const Operand stored = output(source);
  return tensors_.fetch(unit, input, stored, Direction::backward, fetched_[source]);
}

// The forward pass has updated the running values already.
Operand Recomputation::compute(const Unit& unit) {
  const bool is_batch_norm = std::holds_alternative<BatchNorm>(context_.parameters(unit));
  std::vector<Operand> operands;
  for (std::size_t i = 0; i < unit.inputs.size(); ++i) operands.push_back(input(unit, i));
  const Operand result{.buffer = writer_.add_block(context_.name_of(unit.last) + "/again",
                                                   BufferRole::activation,
                                                   context_.storage_box(unit)),
                       .box = context_.own_box(unit.last)};
  if (is_batch_norm) {
    operands = batch_norm_operands(
        writer_.builder(), parameters_, unit, tensors_.saved(unit).sums, operands);
  }
  operands.push_back(as_written(result));
  const LocalUnit local = context_.local(unit);
  const KernelSpec spec = is_batch_norm ? batch_norm_spec(local) : forward_element_wise_spec(local);
  if (is_batch_norm && has_mask(spec)) {
    operands.push_back(as_written(tensors_.saved(unit).extra));
  }
  KernelConstants constants = constants_of(local, spec.kind);
  constants.running_momentum = 0.0;
  OperationLabel label = forward_label(unit.head);
  label.direction = Direction::backward;
  writer_.kernel(unit,
                 unit.head,
                 {.id = context_.name(unit) + "/forward_again", .label = label},
                 {.spec = spec, .constants = constants, .operands = std::move(operands)});
  return result;
}

}  // namespace cnnplan
