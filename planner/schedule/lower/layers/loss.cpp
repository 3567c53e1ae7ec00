// Adds the kernels of losses, and the sum of a loss over ranks.
#include "planner/schedule/lower/layers/loss.hpp"

#include <utility>

namespace cnnplan {
namespace {

// Sums the loss over the ranks that have different positions.
void allreduce_loss(LoweringState& state, const Unit& unit, BufferIndex loss) {
  const LoweringContext& context = state.context;
  const Plan& plan = context.plan();
  state.writer.collective(
      {.id = context.name(unit) + "/allreduce",
       .label = {.part = OperationPart::loss_allreduce, .layer = unit.head}},
      unit.head,
      Stream::reduce,
      {.algorithm = allreduce_for_replicas(plan, plan.statistics_allreduce, unit.head, unit.head),
       .group = reduction_group(context.layer_plan(unit.head).mesh, context.rank()),
       .operand = state.writer.builder().write(loss),
       .element = ElementType::fp64,
       .elements = 1});
}

}  // namespace

void forward_loss(LoweringState& state, const Unit& unit) {
  const LoweringContext& context = state.context;
  ScheduleBuilder& builder = state.writer.builder();
  SavedOperands& saved = state.tensors.saved(unit);
  saved.inputs = {state.tensors.fetch(unit, 0)};
  const KernelKind kind = loss_kind(context.network());
  const char* const made =
      kind == KernelKind::mean_squared_error ? "/differences" : "/probabilities";
  const BufferIndex result = builder.add_buffer(context.name(unit) + made,
                                                BufferRole::scratch,
                                                context.parameter_buffer(),
                                                context.own_box(unit.head));
  saved.extra = builder.read(result);
  state.tensors.set_output(unit.last, saved.extra);
  const BufferIndex loss =
      builder.add_flat(context.name(unit) + "/loss", BufferRole::loss, BufferElement::fp64, 1);
  state.writer.schedule().losses.push_back(loss);
  state.writer.kernel(unit,
                      element_wise_spec(context.local(unit), kind, KernelPhase::forward),
                      {saved.inputs[0],
                       builder.read(state.tensors.labels(unit.head)),
                       builder.write(result),
                       builder.write(loss)});
  allreduce_loss(state, unit, loss);
}

void backward_loss(LoweringState& state, const Unit& unit) {
  const LoweringContext& context = state.context;
  const Operand dx =
      state.writer.add_error_signal(context.name(unit) + "/dx", context.own_box(unit.head));
  const KernelKind kind = loss_kind(context.network());
  std::vector<Operand> operands{state.tensors.saved(unit).extra};
  if (kind == KernelKind::softmax_cross_entropy) {
    operands.push_back(state.writer.builder().read(state.tensors.labels(unit.head)));
  }
  operands.push_back(as_written(dx));
  state.writer.kernel(unit,
                      element_wise_spec(context.local(unit), kind, KernelPhase::backward_data),
                      std::move(operands));
  state.gradients.contribute(unit, 0, {.operand = dx});
}

}  // namespace cnnplan
