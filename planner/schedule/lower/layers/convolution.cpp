// Adds the kernels of layers with a weight, and the transfers of sums over channels.
#include "planner/schedule/lower/layers/convolution.hpp"

#include <cstddef>
#include <utility>

#include "planner/schedule/lower/layers/interior.hpp"
#include "planner/schedule/lower/state/operation_names.hpp"

namespace cnnplan {
namespace {

// No kernel of a layer with a weight has more operands.
constexpr std::size_t most_operands = 4;

// Adds the memory for the channels of this rank's positions of which it computes parts of sums.
Operand add_partial_sums(LoweringState& state, const Unit& unit) {
  const LoweringContext& context = state.context;
  return state.writer.builder().read(
      state.writer.add_block(context.name(unit) + "/partial_sums",
                             BufferRole::activation,
                             context.decomposition().computed(unit).box(context.rank())));
}

// Adds parts of sums up where their channels are owned, in the memory of the output.
void scatter_sums(LoweringState& state, const Unit& unit, const Operand& computed) {
  const LoweringContext& context = state.context;
  const RankBoxes& owned = context.decomposition().owned(unit.last);
  const GradientUse use{.shared = true, .dense = true, .replicas = owned.has_replicas()};
  Exchange exchange = exchange_backward(
      rule_of(context.decomposition().computed(unit), owned), use, context.rank());
  state.writer.transfer(
      unit,
      {.id = context.name(unit) + "/forward/reduce_scatter",
       .label = {.part = OperationPart::channel_reduce_scatter, .layer = unit.head}},
      {.source = computed.buffer,
       .destination = state.tensors.saved(unit).output.buffer,
       .list = {},
       .of_sums = true},
      std::move(exchange));
}

// Gathers the error signal of all channels to which this rank added parts of sums.
Operand gather_error_signal(LoweringState& state, const Unit& unit, const Operand& dy) {
  const LoweringContext& context = state.context;
  const RankBoxes& computed = context.decomposition().computed(unit);
  const Box want = computed.box(context.rank());
  Exchange exchange = exchange_forward(rule_of(context.decomposition().owned(unit.last), computed),
                                       state.writer.builder().buffer(dy.buffer).box,
                                       context.rank());
  const BufferIndex gathered =
      exchange.in_place
          ? dy.buffer
          : state.writer.add_error_signal(context.name(unit) + "/gathered_dy", want).buffer;
  state.writer.transfer(unit,
                        {.id = context.name(unit) + "/backward/allgather",
                         .label = {.part = OperationPart::channel_allgather,
                                   .layer = unit.head,
                                   .direction = Direction::backward}},
                        {.source = dy.buffer, .destination = gathered, .list = {}, .of_sums = true},
                        std::move(exchange));
  return {.buffer = gathered, .box = want};
}

// Adds the kernel y += bias of a transposed convolution.
void add_bias(LoweringState& state, const Unit& unit, const Operand& y) {
  state.writer.kernel(
      unit,
      {.id = state.context.name(unit) + "/forward/bias", .label = forward_label(unit.head)},
      bias_spec(state.context.local(unit), KernelPhase::forward),
      {y, state.parameters.value(unit, ParameterRole::bias), as_written(y)});
}

}  // namespace

void forward_convolution(LoweringState& state, const Unit& unit) {
  SavedOperands& saved = state.tensors.saved(unit);
  saved.inputs = {state.tensors.fetch(unit, 0)};
  saved.output = state.tensors.add_output(unit);
  const std::vector<OutputPart> parts = output_parts_of(state.context, unit);
  if (!parts.empty()) return convolve_parts(state, unit, parts);
  const bool sums = state.context.has_partial_sums(unit);
  const Operand computed = sums ? add_partial_sums(state, unit) : saved.output;
  convolve(state,
           unit,
           {.id = state.context.name(unit) + "/forward", .label = forward_label(unit.head)},
           saved.inputs[0],
           computed);
  if (sums) scatter_sums(state, unit, computed);
}

void convolve(LoweringState& state,
              const Unit& unit,
              const LabelledId& named,
              const Operand& input,
              const Operand& output) {
  convolve(state,
           unit,
           named,
           state.parameters.convolution_spec(unit, KernelPhase::forward),
           input,
           output);
}

void convolve(LoweringState& state,
              const Unit& unit,
              const LabelledId& named,
              KernelSpec spec,
              const Operand& input,
              const Operand& output) {
  spec.relu = unit.relu;
  std::vector<Operand> operands;
  operands.reserve(most_operands);
  operands.assign({input, state.parameters.value(unit, ParameterRole::weight)});
  if (spec.bias) operands.push_back(state.parameters.value(unit, ParameterRole::bias));
  operands.push_back(as_written(output));
  state.writer.kernel(unit, named, spec, std::move(operands));
  const bool has_bias_kernel =
      is_transposed(state.context.parameters(unit)) && state.context.adds_bias(unit);
  if (has_bias_kernel) add_bias(state, unit, output);
}

void backward_convolution(LoweringState& state, const Unit& unit, const Operand& own_dy) {
  const LoweringContext& context = state.context;
  Operand dy = own_dy;
  if (unit.relu) {
    dy = backward_fused_relu(state,
                             unit,
                             {.id = context.name_of(unit.last) + "/backward_data",
                              .label = backward_data_label(unit.last)},
                             dy);
  }
  if (context.has_partial_sums(unit)) dy = gather_error_signal(state, unit, dy);
  if (context.decomposition().requires_gradient(unit.inputs[0])) {
    const LabelledId named{.id = context.name(unit) + "/backward_data",
                           .label = backward_data_label(unit.head)};
    state.gradients.contribute(unit, 0, {.operand = convolve_back(state, unit, named, dy)});
  }
  backward_filter(state, unit, dy);
}

Operand backward_fused_relu(LoweringState& state,
                            const Unit& unit,
                            const LabelledId& named,
                            const Operand& dy) {
  const LoweringContext& context = state.context;
  const Operand dx =
      state.writer.add_error_signal(context.name_of(unit.last) + "/dx", context.own_box(unit.last));
  state.writer.kernel(
      unit,
      unit.last,
      named,
      {.spec = element_wise_spec(context.local(unit), KernelKind::relu, KernelPhase::backward_data),
       .constants = {},
       .operands = {state.tensors.saved(unit).output, dy, as_written(dx)}});
  return dx;
}

Operand convolve_back(LoweringState& state,
                      const Unit& unit,
                      const LabelledId& named,
                      const Operand& dy) {
  KernelSpec spec = state.parameters.convolution_spec(unit, KernelPhase::backward_data);
  spec.bias = false;
  const Operand dx = state.writer.add_error_signal(state.context.name(unit) + "/dx",
                                                   state.context.needed_box(unit, 0));
  state.writer.kernel(
      unit, named, spec, {dy, state.parameters.value(unit, ParameterRole::weight), as_written(dx)});
  return dx;
}

void backward_filter(LoweringState& state, const Unit& unit, const Operand& dy) {
  const LoweringContext& context = state.context;
  const KernelSpec spec = state.parameters.convolution_spec(unit, KernelPhase::backward_filter);
  const bool transposed = is_transposed(context.parameters(unit));
  const Operand dbias =
      context.adds_bias(unit) ? state.parameters.gradient(unit, ParameterRole::bias) : Operand{};
  std::vector<Operand> operands;
  operands.reserve(most_operands);
  operands.assign(
      {state.recompute.input(unit, 0), dy, state.parameters.gradient(unit, ParameterRole::weight)});
  if (transposed) std::swap(operands[0], operands[1]);
  if (spec.bias) operands.push_back(dbias);
  state.writer.kernel(unit, spec, std::move(operands));
  if (transposed && context.adds_bias(unit)) {
    state.writer.kernel(unit,
                        {.id = context.name(unit) + "/backward_filter/bias",
                         .label = kernel_label(unit.head, KernelPhase::backward_filter)},
                        bias_spec(context.local(unit), KernelPhase::backward_filter),
                        {dy, dbias});
  }
}

}  // namespace cnnplan
