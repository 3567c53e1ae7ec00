// Adds the kernels of poolings. A maximum keeps its index for the backward pass.
#include "planner/schedule/lower/layers/pooling.hpp"

#include <utility>

namespace cnnplan {

void forward_pooling(LoweringState& state, const Unit& unit) {
  const LoweringContext& context = state.context;
  SavedOperands& saved = state.tensors.saved(unit);
  saved.inputs = {state.tensors.fetch(unit, 0)};
  saved.output = state.tensors.add_output(unit);
  const KernelSpec spec = windowed_spec(context.local(unit));
  std::vector<Operand> operands{saved.inputs[0], as_written(saved.output)};
  if (spec.pooling == PoolingMode::max) {
    ScheduleBuilder& builder = state.writer.builder();
    const BufferIndex index = builder.add_buffer(context.name(unit) + "/index",
                                                 BufferRole::scratch,
                                                 BufferElement::int32,
                                                 context.own_box(unit.last));
    saved.extra = builder.read(index);
    operands.push_back(builder.write(index));
  }
  state.writer.kernel(unit, spec, std::move(operands));
}

void backward_pooling(LoweringState& state, const Unit& unit, const Operand& dy) {
  const LoweringContext& context = state.context;
  if (!context.decomposition().requires_gradient(unit.inputs[0])) return;
  KernelSpec spec = windowed_spec(context.local(unit));
  spec.phase = KernelPhase::backward_data;
  const Operand dx =
      state.writer.add_error_signal(context.name(unit) + "/dx", context.needed_box(unit, 0));
  std::vector<Operand> operands;
  if (spec.pooling == PoolingMode::max) operands.push_back(state.tensors.saved(unit).extra);
  operands.insert(operands.end(), {dy, as_written(dx)});
  state.writer.kernel(unit, spec, std::move(operands));
  state.gradients.contribute(unit, 0, {.operand = dx});
}

}  // namespace cnnplan
