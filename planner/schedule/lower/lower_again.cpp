// Lowers outputs that are computed again when backpropagation first reads them, instead of kept.
#include "planner/schedule/lower/lowering.hpp"
#include "planner/schedule/lower/operation_names.hpp"

namespace cnnplan {

bool Lowering::recomputes(const Unit& unit) const {
  return mode_ != Mode::inference && layer_plan(unit.head).recompute;
}

const Lowering::Saved& Lowering::saved_of(const Unit& unit) const {
  return saved_[decomposition_.index_of(unit)];
}

// Returns the output of a unit, which it computes again where that was not kept.
Operand Lowering::tensor_again(LayerIndex index) {
  const Unit& unit = decomposition_.unit_of(index);
  Operand& again = again_[static_cast<std::size_t>(index)];
  if (!recomputes(unit) || !is_lowered(decomposition_.index_of(unit))) {
    return tensors_[static_cast<std::size_t>(index)];
  }
  if (again.buffer < 0) again = forward_again(unit);
  return again;
}

// Returns an input of a unit, with its halo where it needs one.
Operand Lowering::input_again(const Unit& unit, std::size_t input) {
  const LayerIndex source = unit.inputs[input];
  if (!recomputes(decomposition_.unit_of(source))) return saved_of(unit).inputs[input];
  const Operand stored = tensor_again(source);
  return fetch(
      unit, input, stored, Direction::backward, fetched_again_[static_cast<std::size_t>(source)]);
}

// Repeats the kernel of the forward pass on equal inputs, which gives equal bits. The kernel of the
// forward pass has updated the running values already.
Operand Lowering::forward_again(const Unit& unit) {
  const bool is_batch_norm = std::holds_alternative<BatchNorm>(layer(unit.head).parameters);
  std::vector<Operand> operands;
  for (std::size_t i = 0; i < unit.inputs.size(); ++i) operands.push_back(input_again(unit, i));
  const BufferIndex buffer =
      add_block(name_of(unit.last) + "/again", BufferRole::activation, storage_box(unit));
  const Operand output{.buffer = buffer, .box = own_box(unit.last)};
  if (is_batch_norm) {
    operands = batch_norm_operands(unit, saved_of(unit), operands, output);
  } else {
    operands.push_back(output);
    operands.back().written = true;
  }
  const KernelSpec spec = is_batch_norm ? batch_norm_spec(unit) : forward_elementwise_spec(unit);
  KernelConstants constants = constants_of(unit, spec.kind);
  constants.running_momentum = 0.0;
  OperationLabel label = forward_label(unit.head);
  label.direction = Direction::backward;
  add_kernel(unit,
             unit.head,
             {.id = name(unit) + "/forward_again", .label = label},
             {.spec = spec, .constants = constants, .operands = std::move(operands)});
  return output;
}

}  // namespace cnnplan
