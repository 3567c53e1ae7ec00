// Adds the backward kernel of local response norms, which reads the input again.
#include "planner/schedule/lower/layers/local_response_norm.hpp"

namespace cnnplan {

void backward_local_response_norm(LoweringState& state, const Unit& unit, const Operand& dy) {
  const LoweringContext& context = state.context;
  const Operand dx =
      state.writer.add_error_signal(context.name(unit) + "/dx", context.own_box(unit.last));
  state.writer.kernel(
      unit,
      element_wise_spec(
          context.local(unit), KernelKind::local_response_norm, KernelPhase::backward_data),
      {state.recompute.input(unit, 0), dy, as_written(dx)});
  state.gradients.contribute(unit, 0, {.operand = dx});
}

}  // namespace cnnplan
