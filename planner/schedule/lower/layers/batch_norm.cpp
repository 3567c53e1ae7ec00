// Adds the kernels of statistics and normalisation, and the sums of statistics over ranks.
#include "planner/schedule/lower/layers/batch_norm.hpp"

#include <array>
#include <cstddef>
#include <string>
#include <utility>

#include "planner/kernel/kernel_work.hpp"
#include "planner/schedule/lower/state/batch_norm_operands.hpp"
#include "planner/schedule/lower/state/operation_names.hpp"
#include "planner/tensor/element.hpp"

namespace cnnplan {
namespace {

// No kernel of a batch norm has more operands.
constexpr std::size_t most_operands = 10;

BufferIndex add_sums(LoweringState& state,
                     const Unit& unit,
                     const char* suffix,
                     std::int64_t elements) {
  return state.writer.builder().add_flat(
      state.context.name(unit) + suffix, BufferRole::scratch, BufferElement::fp64, elements);
}

// Adds the memory for a bit of each output. No backward pass follows an inference, so its masks
// are empty.
Operand add_mask(LoweringState& state, const Unit& unit) {
  Box words{};
  if (!state.context.is_inference()) {
    words = state.context.own_box(unit.last);
    words[Dim::c] = {0, words[Dim::c].size() / bits_of_word};
  }
  return state.writer.builder().read(state.writer.builder().add_buffer(
      state.context.name(unit) + "/mask", BufferRole::scratch, BufferElement::int32, words));
}

// Sums the statistics of a phase over the ranks that share them.
void allreduce_sums(LoweringState& state, const Unit& unit, KernelPhase phase, BufferIndex sums) {
  const LoweringContext& context = state.context;
  const Plan& plan = context.plan();
  const LayerPlan& own = context.layer_plan(unit.head);
  const ScheduleBuilder& builder = state.writer.builder();
  OperationLabel label = kernel_label(unit.head, phase);
  label.part = OperationPart::statistics_allreduce;
  state.writer.collective(
      {.id = kernel_name(context, unit, phase, "/allreduce"), .label = label},
      unit.head,
      Stream::compute,
      {.algorithm = allreduce_for_replicas(plan, plan.statistics_allreduce, unit.head, unit.head),
       .group = statistics_group(own.mesh, own.statistics, context.rank()),
       .operand = builder.write(sums),
       .element = ElementType::fp64,
       .elements = builder.buffer(sums).bytes / bytes_of(BufferElement::fp64)});
}

// Returns the kernel that sums the masked error signals of the unit.
KernelSpec backward_spec(const LoweringContext& context,
                         const Unit& unit,
                         const GradientTerms& gradient) {
  KernelSpec spec = element_wise_spec(
      context.local(unit), KernelKind::batch_norm, KernelPhase::backward_statistics);
  spec.relu = unit.relu;
  spec.residual = unit.relu && unit.residual;
  spec.second_dy = gradient.second_dy.has_value();
  return spec;
}

// Adds the kernel from dz, and its sums over the group, to the error signal of the input.
void backward_data(LoweringState& state,
                   const Unit& unit,
                   KernelSpec spec,
                   const std::array<Operand, 2>& gradient) {
  const LoweringContext& context = state.context;
  spec.phase = KernelPhase::backward_data;
  std::vector<Operand> operands;
  operands.reserve(most_operands);
  operands.assign({state.recompute.input(unit, 0), gradient[0]});
  spec.residual = unit.relu && keeps_dz(spec);
  spec.second_dy = false;
  if (masks(spec)) operands.push_back(state.recompute.output(unit.last));
  const Operand dx =
      state.writer.add_error_signal(context.name(unit) + "/dx", context.own_box(unit.last));
  operands.insert(operands.end(),
                  {state.tensors.saved(unit).sums,
                   gradient[1],
                   state.parameters.value(unit, ParameterRole::scale)});
  if (masks(spec)) operands.push_back(state.parameters.value(unit, ParameterRole::shift));
  operands.push_back(as_written(dx));
  state.writer.kernel(unit, spec, std::move(operands));
  state.gradients.contribute(unit, 0, {.operand = dx});
}

}  // namespace

void add_running_values(const LoweringContext& context, OperationWriter& writer, const Unit& unit) {
  Box own = whole({{1, 1, 1, 1, 1}});
  own[Dim::w] = context.own_channels(unit.head);
  const auto running = [&](const char* suffix) {
    return writer.builder().add_buffer(
        context.name(unit) + suffix, BufferRole::running, context.parameter_buffer(), own);
  };
  writer.schedule().running_mean[unit.head] = running("/mean");
  writer.schedule().running_variance[unit.head] = running("/variance");
}

void forward_batch_norm(LoweringState& state, const Unit& unit) {
  const LoweringContext& context = state.context;
  const LocalUnit local = context.local(unit);
  const ScheduleBuilder& builder = state.writer.builder();
  SavedOperands& saved = state.tensors.saved(unit);
  saved.inputs = {state.tensors.fetch(unit, 0)};
  if (unit.residual) saved.inputs.push_back(state.tensors.fetch(unit, 1));
  const BufferIndex sums =
      add_sums(state, unit, "/sums", 2 * context.own_channels(unit.head).size() + 1);
  saved.sums = builder.read(sums);
  if (!context.is_inference()) {
    state.writer.kernel(
        unit,
        element_wise_spec(local, KernelKind::batch_norm, KernelPhase::forward_statistics),
        {saved.inputs[0], builder.write(sums)});
    allreduce_sums(state, unit, KernelPhase::forward_statistics, sums);
  }
  add_running_values(context, state.writer, unit);
  saved.output = state.tensors.add_output(unit);
  const KernelSpec spec = batch_norm_spec(local);
  if (has_mask(spec)) saved.extra = add_mask(state, unit);
  std::vector<Operand> operands =
      batch_norm_operands(builder, state.parameters, unit, saved.sums, saved.inputs);
  operands.push_back(as_written(saved.output));
  if (has_mask(spec)) operands.push_back(as_written(saved.extra));
  state.writer.kernel(unit, spec, std::move(operands));
}

void backward_batch_norm(LoweringState& state, const Unit& unit, const GradientTerms& gradient) {
  const LoweringContext& context = state.context;
  const ScheduleBuilder& builder = state.writer.builder();
  const BufferIndex sums =
      add_sums(state, unit, "/gradient_sums", 2 * context.own_channels(unit.head).size());
  const KernelSpec spec = backward_spec(context, unit, gradient);
  std::vector<Operand> operands;
  operands.reserve(most_operands);
  operands.assign({state.recompute.input(unit, 0), gradient.dy});
  if (spec.second_dy) operands.push_back(*gradient.second_dy);
  if (unit.relu) operands.push_back(state.recompute.output(unit.last));
  operands.push_back(state.tensors.saved(unit).sums);
  if (masks(spec)) {
    operands.push_back(state.parameters.value(unit, ParameterRole::scale));
    operands.push_back(state.parameters.value(unit, ParameterRole::shift));
  }
  operands.insert(operands.end(),
                  {builder.write(sums),
                   state.parameters.gradient(unit, ParameterRole::scale),
                   state.parameters.gradient(unit, ParameterRole::shift)});
  Operand dz = gradient.sum.value_or(gradient.dy);
  if (keeps_dz(spec)) {
    if (!gradient.sum) {
      dz = state.writer.add_error_signal(context.name(unit) + "/dz", context.own_box(unit.last));
    }
    operands.push_back(as_written(dz));
  }
  if (has_mask(spec)) operands.push_back(state.tensors.saved(unit).extra);
  state.writer.kernel(unit, spec, std::move(operands));
  allreduce_sums(state, unit, KernelPhase::backward_statistics, sums);
  if (unit.residual && context.decomposition().requires_gradient(unit.inputs[1])) {
    state.gradients.contribute(unit, 1, {.operand = dz, .shared = shares_gradient(Add{}, 1)});
  }
  if (context.decomposition().requires_gradient(unit.inputs[0])) {
    backward_data(state, unit, spec, {dz, builder.read(sums)});
  }
}

}  // namespace cnnplan
