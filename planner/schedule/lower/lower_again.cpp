// Outputs that are not kept for backpropagation, but computed again when it first reads them.
#include "planner/schedule/lower/lowering.hpp"

namespace cnnplan {

bool Lowering::recomputes(const Unit& unit) const {
  return mode_ != Mode::inference && layer_plan(unit.head).recompute;
}

const Lowering::Saved& Lowering::saved_of(const Unit& unit) const {
  return saved_[decomposition_.index_of(unit)];
}

// The output of a unit.
Operand Lowering::tensor_again(LayerIndex index) {
  const Unit& unit = decomposition_.unit_of(index);
  Operand& again = again_[static_cast<std::size_t>(index)];
  if (!recomputes(unit) || !is_lowered(decomposition_.index_of(unit))) {
    return tensors_[static_cast<std::size_t>(index)];
  }
  if (again.buffer < 0) again = forward_again(unit);
  return again;
}

// An input of a unit, with its halo where it needs one.
Operand Lowering::input_again(const Unit& unit, std::size_t input) {
  const LayerIndex source = unit.inputs[input];
  if (!recomputes(decomposition_.unit_of(source))) return saved_of(unit).inputs[input];
  const Operand stored = tensor_again(source);
  return fetch(
      unit, input, stored, "/forward_again/", fetched_again_[static_cast<std::size_t>(source)]);
}

// The same kernel on the same inputs, so the same bits. Running values were updated by the first.
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
  add_kernel(unit,
             unit.head,
             name(unit) + "/forward_again",
             {.spec = spec, .constants = constants, .operands = std::move(operands)});
  return output;
}

}  // namespace cnnplan
