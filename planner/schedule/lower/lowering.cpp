// Sets a lowering up, and holds the functions that the forward and the backward pass share.
#include "planner/schedule/lower/lowering.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

#include "planner/base/error.hpp"
#include "planner/base/parallel.hpp"
#include "planner/platform/exchange_rounds.hpp"
#include "planner/schedule/lower/lower_representatives.hpp"
#include "planner/schedule/lower/operation_names.hpp"
#include "planner/schedule/memory_layout.hpp"
#include "planner/schedule/reuse_dependencies.hpp"

namespace cnnplan {
namespace {

// In one queue, operations run in the order of their list and need no dependencies.
ScheduleBuilder::Dependencies dependencies_in(Mode mode, const Plan& plan) {
  const bool in_order = mode == Mode::prices || (mode == Mode::prediction && !plan.overlap);
  return in_order && most_lanes(plan) == 1 ? ScheduleBuilder::Dependencies::none
                                           : ScheduleBuilder::Dependencies::derived;
}

// A training step has about this many operations per unit.
constexpr std::size_t operations_per_unit = 8;

}  // namespace

Lowering::Lowering(const Decomposition& decomposition,
                   int rank,
                   Mode mode,
                   std::vector<bool> lowered)
    : decomposition_(decomposition),
      plan_(decomposition.plan()),
      rank_(rank),
      mode_(mode),
      lowered_(std::move(lowered)),
      builder_(rank, plan_.ranks, dependencies_in(mode, plan_)) {
  const auto layers = static_cast<std::size_t>(network().layer_count());
  saved_.resize(decomposition.units().size());
  tensors_.resize(layers);
  gradients_.resize(layers);
  sliced_gradients_.assign(layers, -1);
  fetched_.resize(layers);
  again_.resize(layers);
  fetched_again_.resize(layers);
  first_slot_.assign(layers, -1);
  labels_.assign(layers, -1);
  is_of_main_loss_ = network().layers_of_main_loss();
  builder_.reserve(operations_per_unit * decomposition.units().size());
  find_read();
}

void Lowering::find_read() {
  if (lowered_.empty()) return;
  is_read_.assign(static_cast<std::size_t>(network().layer_count()), false);
  for (const Unit& unit : decomposition_.units()) {
    if (!is_lowered(decomposition_.index_of(unit))) continue;
    for (LayerIndex source : unit.inputs) is_read_[static_cast<std::size_t>(source)] = true;
  }
}

Schedule Lowering::run() {
  Schedule& schedule = builder_.schedule();
  const auto layers = static_cast<std::size_t>(network().layer_count());
  schedule.running_mean.assign(layers, -1);
  schedule.running_variance.assign(layers, -1);
  add_parameters();
  gather_weights();
  forward_all();
  if (mode_ != Mode::inference) {
    backward_all();
    update_rest();
    keep_residuals();
  }
  keep_logits();
  schedule.outputs = tensors_;
  if (mode_ == Mode::prices) return std::move(schedule);
  place_buffers(schedule);
  if (plan_.overlap || schedule.lanes > 1) add_reuse_dependencies(schedule);
  return std::move(schedule);
}

// The input of the loss is read after the step, so nothing may take its place in memory.
void Lowering::keep_logits() {
  Schedule& schedule = builder_.schedule();
  const auto logits = static_cast<std::size_t>(network().inputs_of(network().loss_layer())[0]);
  const auto buffer = static_cast<std::size_t>(tensors_[logits].buffer);
  schedule.buffers[buffer].last_use = static_cast<OperationIndex>(schedule.operations.size()) - 1;
}

void Lowering::keep_residuals() {
  Schedule& schedule = builder_.schedule();
  for (const PointResidual& residual : schedule.residuals) {
    schedule.buffers[static_cast<std::size_t>(residual.operand.buffer)].last_use =
        static_cast<OperationIndex>(schedule.operations.size()) - 1;
  }
}

const LayerPlan& Lowering::layer_plan(LayerIndex index) const {
  return plan_.layers.at(static_cast<std::size_t>(index));
}

Box Lowering::own_box(LayerIndex index) const {
  return decomposition_.owned(index).box(rank_);
}

Range Lowering::own_channels(LayerIndex index) const {
  return cnnplan::own_channels(plan_, index, rank_);
}

bool Lowering::has_partial_sums(const Unit& unit) const {
  return sums_over_channels(layer_plan(unit.head).split());
}

Box Lowering::needed_box(const Unit& unit, std::size_t input) const {
  return decomposition_.needed(unit, input).box(rank_);
}

bool Lowering::runs(const Unit& unit) const {
  return mode_ != Mode::inference || is_of_main_loss_[static_cast<std::size_t>(unit.last)];
}

bool Lowering::is_here(const Unit& unit) const {
  return is_at_stage(plan_, unit.head, rank_);
}

BufferElement Lowering::parameter() const {
  return buffer_element(parameter_element(plan_.precision));
}

BufferIndex Lowering::add_block(const std::string& name, BufferRole role, const Box& box) {
  const ElementType element = activation_element(plan_.precision);
  return builder_.add_buffer(name, role, buffer_element(element), box);
}

Operand Lowering::nothing() {
  if (nothing_ < 0) nothing_ = add_block("nothing", BufferRole::activation, {});
  return builder_.read(nothing_);
}

OperationPart Lowering::transfer_part(const Unit& unit,
                                      std::size_t input,
                                      OperationPart of_channels) const {
  const LayerIndex source = unit.inputs[input];
  const Mesh& mesh = layer_plan(unit.head).mesh;
  const bool same_mesh = same_ranks(layer_plan(source), layer_plan(unit.head));
  const bool copies = copies_inputs(layer(unit.head).parameters);
  const int parts = mesh.size(Axis::c);
  const bool gathers = input_parts(layer_plan(unit.head).channel_algorithm, parts) < parts;
  const bool moves_channels = mixes_channels(layer(unit.head).parameters) && gathers;
  return !same_mesh       ? OperationPart::shuffle
         : copies         ? OperationPart::copy
         : moves_channels ? of_channels
                          : OperationPart::halo;
}

std::string Lowering::input_suffix(const Unit& unit, std::size_t input) const {
  if (unit.inputs.size() == 1) return "";
  const LayerIndex source = unit.inputs[input];
  const auto place = unit.inputs.begin() + static_cast<std::ptrdiff_t>(input);
  const auto before = std::count(unit.inputs.begin(), place, source);
  return '/' + name_of(source) + (before > 0 ? '/' + std::to_string(before + 1) : "");
}

LabelledId Lowering::transfer_name(const Unit& unit,
                                   std::size_t input,
                                   Direction direction,
                                   OperationPart of_channels) const {
  const OperationPart part = transfer_part(unit, input, of_channels);
  const bool is_forward = direction == Direction::forward;
  return {.id = name(unit) + (is_forward ? "/forward/" : "/backward/") + word_of(part) +
                input_suffix(unit, input),
          .label = {.part = part, .layer = unit.head, .direction = direction}};
}

KernelAlgorithm Lowering::algorithm(LayerIndex index, KernelPhase phase) const {
  const auto& algorithms = layer_plan(index).algorithms;
  const auto found = algorithms.find(phase);
  return found == algorithms.end() ? KernelAlgorithm::direct : found->second;
}

bool Lowering::adds_bias(const Unit& unit) const {
  return has_bias(layer(unit.head).parameters) && volume(bias_block(plan_, unit.head, rank_)) > 0;
}

KernelSpec Lowering::convolution_spec(const Unit& unit, KernelPhase phase) const {
  KernelSpec spec = builder_.slot(first_slot_[static_cast<std::size_t>(unit.head)]).forward;
  spec.phase = phase;
  if (is_transposed(layer(unit.head).parameters) && phase != KernelPhase::backward_filter) {
    const bool is_forward = phase == KernelPhase::forward;
    spec.phase = is_forward ? KernelPhase::backward_data : KernelPhase::forward;
  }
  spec.algorithm = algorithm(unit.head, spec.phase);
  return spec;
}

KernelSpec Lowering::bias_spec(const Unit& unit, KernelPhase phase) const {
  KernelSpec spec = elementwise_spec(unit, KernelKind::bias, phase);
  spec.in = spec.out = windowed_spec(unit).in;
  return spec;
}

KernelSpec Lowering::windowed_spec(const Unit& unit) const {
  const LayerParameters& parameters = layer(unit.head).parameters;
  KernelSpec spec{.kind = KernelKind::convolution, .phase = KernelPhase::forward};
  const int part = layer_plan(unit.head).mesh.coordinate(rank_, Axis::c);
  const Box computed = decomposition_.computed(unit).box(rank_);
  spec.precision = plan_.precision;
  spec.out = shape_of(computed);
  spec.in = shape_of(needed_box(unit, 0));
  if (is_here(unit)) {
    spec.out[Dim::c] = decomposition_.computed(unit).range(Dim::c, part).size();
    spec.in[Dim::c] = decomposition_.needed(unit, 0).range(Dim::c, part).size();
  }
  spec.window = local_window(network(), unit.head, computed);
  const bool transposed = is_transposed(parameters);
  if (transposed) std::swap(spec.in, spec.out);
  if (mixes_channels(parameters)) {
    // Ranks without channels have one empty group.
    const std::int64_t group = weight_block(plan_, unit.head, rank_)[Dim::c].size();
    spec.groups = std::max<std::int64_t>(1, spec.in[Dim::c] / std::max<std::int64_t>(1, group));
    spec.bias = !transposed && adds_bias(unit);
  } else {
    spec.kind = KernelKind::pooling;
    if (const auto* pooling = std::get_if<Pooling>(&parameters)) {
      spec.pooling = pooling->mode;
      spec.count_include_padding = pooling->count_include_padding;
    } else {
      spec.pooling = std::get<GlobalPooling>(parameters).mode;
    }
  }
  return spec;
}

KernelKind Lowering::loss_kind() const {
  return has_targets(network()) ? KernelKind::mean_squared_error
                                : KernelKind::softmax_cross_entropy;
}

KernelSpec Lowering::elementwise_spec(const Unit& unit, KernelKind kind, KernelPhase phase) const {
  KernelSpec spec{.kind = kind, .phase = phase};
  spec.in = spec.out = shape_of(own_box(unit.last));
  spec.precision = plan_.precision;
  if (kind == KernelKind::local_response_norm) {
    spec.local_size = std::get<LocalResponseNorm>(layer(unit.head).parameters).size;
  }
  return spec;
}

Shape Lowering::input_shape(const Unit& unit) const {
  return network().output_shape(network().inputs_of(unit.head)[0], plan_.batch);
}

KernelSpec Lowering::rearranging_spec(const Unit& unit, KernelPhase phase) const {
  KernelSpec spec = elementwise_spec(unit, KernelKind::channel_shuffle, phase);
  if (const auto* upsample = std::get_if<Upsample>(&layer(unit.head).parameters)) {
    const bool is_linear = upsample->mode == UpsampleMode::linear;
    spec.kind = is_linear ? KernelKind::interpolate : KernelKind::upsample;
    spec.in = shape_of(needed_box(unit, 0));
    spec.window = upsample_window(*upsample, input_shape(unit), own_box(unit.last));
  } else {
    spec.groups = std::get<ChannelShuffle>(layer(unit.head).parameters).groups;
  }
  return spec;
}

KernelConstants Lowering::constants_of(const Unit& unit, KernelKind kind) const {
  KernelConstants constants{.replicated = layer_plan(unit.head).mesh.size(Axis::r) > 1};
  const LayerParameters& parameters = layer(unit.head).parameters;
  if (const auto* norm = std::get_if<BatchNorm>(&parameters)) {
    constants.epsilon = norm->epsilon;
    constants.running_momentum = norm->momentum;
  } else if (const auto* relu = std::get_if<Relu>(&parameters)) {
    constants.relu_max = relu->max;
  } else if (const auto* add = std::get_if<Add>(&parameters)) {
    if (kind == KernelKind::add) constants.add_scale = add->scale;
  } else if (const auto* upsample = std::get_if<Upsample>(&parameters)) {
    if (kind == KernelKind::interpolate) {
      constants.axes = interpolation_axes(*upsample, input_shape(unit), own_box(unit.last));
    }
  } else if (const auto* response = std::get_if<LocalResponseNorm>(&parameters)) {
    constants.response_scale = response->alpha / static_cast<double>(response->size);
    constants.response_beta = response->beta;
    constants.response_k = response->k;
  } else if (const auto* dropout = std::get_if<Dropout>(&parameters)) {
    constants.dropout_rate = dropout->rate;
    constants.random_stream = static_cast<std::uint64_t>(unit.head);
  } else if (is_loss(parameters)) {
    const Shape shape = network().output_shape(unit.head, plan_.batch);
    const std::int64_t count =
        has_targets(network()) ? volume(shape) : volume(shape) / shape[Dim::c];
    constants.loss_count = static_cast<double>(count) / loss_weight(parameters);
  }
  return constants;
}

std::string Lowering::implementation_of(const KernelSpec& spec) const {
  if (plan_.implementations.empty() || spec.kind != KernelKind::convolution) return {};
  const auto found = plan_.implementations.find(to_text(alone(canonical(spec))));
  return found == plan_.implementations.end() ? "" : found->second;
}

void Lowering::kernel(const Unit& unit,
                      const LabelledId& named,
                      KernelSpec spec,
                      std::vector<Operand> operands) {
  add_kernel(unit,
             unit.head,
             named,
             {.spec = spec,
              .constants = constants_of(unit, spec.kind),
              .implementation = {},
              .operands = std::move(operands)});
}

void Lowering::add_kernel(const Unit& unit,
                          LayerIndex index,
                          const LabelledId& named,
                          KernelOperation operation) {
  if (!is_here(unit)) return;
  if (own_blocks(operation.spec) > 1) return add_in_blocks(unit, index, named, operation);
  add_whole(index, named, std::move(operation));
}

void Lowering::add_whole(LayerIndex index, LabelledId named, KernelOperation operation) {
  operation.spec.concurrency = concurrency_;
  operation.implementation = implementation_of(operation.spec);
  builder_.add_operation(std::move(named), index, Stream::compute, std::move(operation), lane_);
}

void Lowering::kernel(const Unit& unit, KernelSpec spec, std::vector<Operand> operands) {
  kernel(unit,
         {.id = name(unit) + '/' + std::string(to_text(spec.phase)),
          .label = kernel_label(unit.head, spec.phase)},
         spec,
         std::move(operands));
}

void Lowering::collective(const LabelledId& named,
                          LayerIndex index,
                          Stream stream,
                          CollectiveOperation operation) {
  if (operation.group.size() < 2) return;
  if (operation.algorithm == AllreduceAlgorithm::hierarchical) {
    operation.ranks_per_node = members_per_node(operation.group, plan_.ranks_per_node);
  }
  builder_.add_operation(named, index, stream, std::move(operation));
}

// Replicas have to sum in one order to keep equal bits.
AllreduceAlgorithm Lowering::for_replicas(AllreduceAlgorithm algorithm,
                                          LayerIndex first,
                                          LayerIndex last) const {
  if (algorithm != AllreduceAlgorithm::hierarchical) return algorithm;
  for (LayerIndex layer = first; layer <= last; ++layer) {
    const Mesh& mesh = layer_plan(layer).mesh;
    if (!has_alike_replicas(mesh, plan_.ranks_per_node)) return AllreduceAlgorithm::ring;
  }
  return algorithm;
}

void Lowering::allreduce_sums(const Unit& unit, KernelPhase phase, BufferIndex sums) {
  const LayerPlan& plan = layer_plan(unit.head);
  OperationLabel label = kernel_label(unit.head, phase);
  label.part = OperationPart::statistics_allreduce;
  collective({.id = name(unit) + '/' + std::string(to_text(phase)) + "/allreduce", .label = label},
             unit.head,
             Stream::compute,
             {.algorithm = for_replicas(plan_.statistics_allreduce, unit.head, unit.head),
              .group = statistics_group(plan.mesh, plan.statistics, rank_),
              .operand = builder_.write(sums),
              .element = ElementType::fp64,
              .elements = builder_.buffer(sums).bytes / bytes_of(BufferElement::fp64)});
}

namespace {

std::vector<Schedule> lower_all(const Decomposition& decomposition,
                                std::span<const int> ranks,
                                Mode mode,
                                const std::vector<bool>& lowered = {}) {
  std::vector<Schedule> schedules(ranks.size());
  parallel_for(ranks.size(), [&](std::size_t i) {
    schedules[i] = Lowering(decomposition, ranks[i], mode, lowered).run();
  });
  return schedules;
}

}  // namespace

Schedule lower(const Plan& plan, int rank) {
  return lower(plan, std::array{rank}).front();
}

std::vector<Schedule> lower(const Plan& plan, std::span<const int> ranks) {
  return lower_all(Decomposition(plan), ranks, Mode::training);
}

void lower_each(const Plan& plan,
                std::span<const int> ranks,
                Mode mode,
                const std::function<void(std::size_t, Schedule)>& take) {
  const Decomposition decomposition(plan);
  parallel_for(ranks.size(),
               [&](std::size_t i) { take(i, Lowering(decomposition, ranks[i], mode).run()); });
}

std::vector<Schedule> lower_for_prices(const Plan& plan, std::span<const int> ranks) {
  return lower_all(Decomposition(plan), ranks, Mode::prices);
}

std::vector<Schedule> lower_representatives(const FusedUnits& units,
                                            const UnitClasses& classes,
                                            const std::vector<bool>& wanted,
                                            std::span<const int> ranks) {
  const std::vector<bool> lowered = classes.around_representatives(wanted);
  return lower_all(Decomposition(units, lowered), ranks, Mode::prices, lowered);
}

Schedule lower_with_residuals(const Plan& plan, int rank) {
  const Decomposition decomposition(plan);
  Lowering lowering(decomposition, rank, Mode::training);
  lowering.trace_residuals();
  return lowering.run();
}

Schedule lower_inference(const Plan& plan, int rank) {
  const Decomposition decomposition(plan);
  return Lowering(decomposition, rank, Mode::inference).run();
}

}  // namespace cnnplan
