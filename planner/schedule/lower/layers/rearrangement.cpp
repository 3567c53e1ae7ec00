// Adds the kernels of upsamplings and channel shuffles.
#include "planner/schedule/lower/layers/rearrangement.hpp"

namespace cnnplan {

void forward_rearrangement(LoweringState& state, const Unit& unit) {
  const Operand input = state.tensors.fetch(unit, 0);
  const Operand output = state.tensors.add_output(unit);
  state.writer.kernel(unit,
                      rearranging_spec(state.context.local(unit), KernelPhase::forward),
                      {input, as_written(output)});
}

void backward_rearrangement(LoweringState& state, const Unit& unit, const Operand& dy) {
  const LoweringContext& context = state.context;
  const Operand dx =
      state.writer.add_error_signal(context.name(unit) + "/dx", context.needed_box(unit, 0));
  state.writer.kernel(unit,
                      rearranging_spec(context.local(unit), KernelPhase::backward_data),
                      {dy, as_written(dx)});
  state.gradients.contribute(unit, 0, {.operand = dx});
}

}  // namespace cnnplan
