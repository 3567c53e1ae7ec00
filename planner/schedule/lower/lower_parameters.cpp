// Lowers parameters: their slots and arenas, buckets of gradients, reductions and updates.
#include "planner/schedule/lower/lowering.hpp"
#include "planner/tensor/shard.hpp"

namespace cnnplan {

// Adds slots in the order in which backpropagation reaches the units.
void Lowering::add_parameters() {
  const std::vector<Unit>& units = decomposition_.units();
  for (std::size_t i = units.size(); i-- > 0;) {
    if (is_lowered(i) && network().parameter_count(units[i].head) > 0) add_slots(units[i]);
  }
  Schedule& schedule = builder_.schedule();
  schedule.weights = add_arena("weights", BufferRole::weights);
  if (has_weight_copies(plan_.precision)) {
    schedule.weight_copies = builder_.add_flat("weight_copies",
                                               BufferRole::weight_copies,
                                               buffer_element(activation_element(plan_.precision)),
                                               slot_elements());
  }
  if (mode_ == Mode::inference) return;
  find_gradient_ranges();
  schedule.sharded_update = plan_.sharded_update;
  schedule.gradients = add_arena("gradients", BufferRole::gradients);
  schedule.momentum =
      builder_.add_flat("momentum", BufferRole::momentum, parameter(), momentum_elements());
}

void Lowering::add_slots(const Unit& unit) {
  const auto add_slot = [&](ParameterRole role, const Shape& shape, const Box& box) {
    return builder_.add_slot({.layer = unit.head,
                              .role = role,
                              .shape = shape,
                              .box = box,
                              .elements = volume(box),
                              .forward = {}});
  };
  const LayerParameters& parameters = layer(unit.head).parameters;
  const Shape by_channel{{1, 1, 1, 1, network().output_shape(unit.head, 1)[Dim::c]}};
  int& first = first_slot_[static_cast<std::size_t>(unit.head)];
  if (std::holds_alternative<BatchNorm>(parameters)) {
    Box own = whole(by_channel);
    own[Dim::w] = own_channels(unit.head);
    first = add_slot(ParameterRole::scale, by_channel, own);
    add_slot(ParameterRole::shift, by_channel, own);
    return;
  }
  const Box weight = weight_block(plan_, unit.head, rank_);
  first = builder_.add_slot({.layer = unit.head,
                             .role = ParameterRole::weight,
                             .shape = weight_shape(network(), unit.head),
                             .box = weight,
                             .elements = volume(weight),
                             .forward = is_here(unit) ? windowed_spec(unit) : KernelSpec{}});
  if (has_bias(parameters)) {
    add_slot(ParameterRole::bias, by_channel, bias_block(plan_, unit.head, rank_));
  }
}

std::int64_t Lowering::slot_elements() const {
  std::int64_t elements = 0;
  for (const ParameterSlot& slot : builder_.schedule().slots) {
    elements = checked_add(elements, slot.elements);
  }
  return elements;
}

BufferIndex Lowering::add_arena(const std::string& name, BufferRole role) {
  return builder_.add_flat(name, role, parameter(), slot_elements());
}

Operand Lowering::slot_operand(BufferIndex arena, int slot, bool written) const {
  return builder_.slots(arena, slot, slot, written);
}

Operand Lowering::convolution_weight(int slot) const {
  const Schedule& schedule = builder_.schedule();
  const bool has_copies = schedule.weight_copies >= 0;
  return slot_operand(has_copies ? schedule.weight_copies : schedule.weights, slot, false);
}

// True where the slices of two layers are in one group for all replicas of either layer.
bool Lowering::sum_alike(LayerIndex a, LayerIndex b) const {
  const Mesh& one = layer_plan(a).mesh;
  const Mesh& other = layer_plan(b).mesh;
  return one == other || (one.size(Axis::r) == 1 && other.size(Axis::r) == 1);
}

// Slots join the open bucket until their whole tensors fill it, also where a rank has only parts of
// these. All plans of a network therefore update the same layers together. A bucket is reduced in
// parts where the group changes, and where layers with replicas meet other layers. The sums of
// replicas have to stand at one place of sums of one size in all groups, but slices of the other
// layers may differ between groups.
void Lowering::find_gradient_ranges() {
  const std::vector<ParameterSlot>& slots = builder_.schedule().slots;
  std::vector<GradientRange>& ranges = builder_.schedule().gradient_ranges;
  std::int64_t bucket_elements = 0;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const LayerIndex layer = slots[i].layer;
    const RankGroup group = reduction_group(layer_plan(layer).mesh, rank_);
    const auto slot = static_cast<int>(i);
    const bool joins = !ranges.empty() && !ranges.back().ends_bucket &&
                       ranges.back().group == group && sum_alike(slots[i - 1].layer, layer);
    if (!joins) ranges.push_back({.first_slot = slot, .last_slot = slot, .group = group});
    ranges.back().last_slot = slot;
    bucket_elements += volume(slots[i].shape);
    const bool ends_layer = i + 1 == slots.size() || slots[i + 1].layer != layer;
    const std::int64_t bytes = bucket_elements * parameter_bytes(plan_.precision);
    ranges.back().ends_bucket = ends_layer && bytes >= plan_.bucket_bytes;
    if (ranges.back().ends_bucket) bucket_elements = 0;
  }
  if (!ranges.empty()) ranges.back().ends_bucket = true;
}

// Returns the slots that an update changes: all of the range, or this rank's shard of it.
Operand Lowering::updated_slots(BufferIndex arena, const GradientRange& range, bool written) const {
  Operand operand = builder_.slots(arena, range.first_slot, range.last_slot, written);
  if (!plan_.sharded_update) return operand;
  operand.shards = range.group.size();
  operand.shard = range.group.position_of(rank_);
  operand.box[Dim::w] = {0, shard_elements(operand.box[Dim::w].size(), operand.shards)};
  return operand;
}

std::int64_t Lowering::momentum_elements() const {
  const Schedule& schedule = builder_.schedule();
  if (!plan_.sharded_update) return slot_elements();
  std::int64_t elements = 0;
  for (const GradientRange& range : schedule.gradient_ranges) {
    elements =
        checked_add(elements, updated_slots(schedule.weights, range, false).box[Dim::w].size());
  }
  return elements;
}

// The gradients of this unit are complete, which may complete ranges.
void Lowering::add_to_bucket(const Unit& unit) {
  const Schedule& schedule = builder_.schedule();
  const auto slots = static_cast<int>(schedule.slots.size());
  while (complete_ < slots && builder_.slot(complete_).layer == unit.head) ++complete_;
  while (reduced_ < schedule.gradient_ranges.size() &&
         schedule.gradient_ranges[reduced_].last_slot < complete_) {
    reduce_gradients(reduced_++);
    const bool is_full = schedule.gradient_ranges[reduced_ - 1].ends_bucket;
    if (is_full && !plan_.overlap) update_weights(reduced_);
  }
}

// Where reductions run while kernels do, buckets are updated after all of backpropagation, so that
// it waits for no sum.
void Lowering::update_rest() {
  const std::vector<GradientRange>& ranges = builder_.schedule().gradient_ranges;
  for (std::size_t i = updated_; i < reduced_; ++i) {
    if (ranges[i].ends_bucket) update_weights(i + 1);
  }
}

void Lowering::reduce_gradients(std::size_t index) {
  const Schedule& schedule = builder_.schedule();
  const auto kind =
      plan_.sharded_update ? CollectiveKind::reduce_scatter : CollectiveKind::allreduce;
  exchange_slots(
      {.id = "reduce/" + std::to_string(index),
       .label = {.part = OperationPart::gradient_reduction, .direction = Direction::backward}},
      index,
      kind,
      schedule.gradients);
}

// Gathers the ranges in the order in which the forward pass needs them.
void Lowering::gather_weights() {
  const Schedule& schedule = builder_.schedule();
  if (!plan_.sharded_update || mode_ == Mode::inference) return;
  for (std::size_t i = schedule.gradient_ranges.size(); i-- > 0;) {
    LabelledId named{.id = "reduce/" + std::to_string(i) + "/gather",
                     .label = {.part = OperationPart::weight_allgather}};
    exchange_slots(named, i, CollectiveKind::allgather, schedule.weights);
    if (schedule.weight_copies < 0) continue;
    named.id += "_copies";
    exchange_slots(named, i, CollectiveKind::allgather, schedule.weight_copies);
  }
}

void Lowering::exchange_slots(const LabelledId& named,
                              std::size_t range_index,
                              CollectiveKind kind,
                              BufferIndex arena) {
  const GradientRange& range = builder_.schedule().gradient_ranges[range_index];
  const Operand operand = builder_.slots(arena, range.first_slot, range.last_slot, true);
  const bool is_copy = arena == builder_.schedule().weight_copies;
  const auto [first, last] =
      std::minmax(builder_.slot(range.first_slot).layer, builder_.slot(range.last_slot).layer);
  const ElementType element =
      is_copy ? activation_element(plan_.precision) : parameter_element(plan_.precision);
  const std::int64_t elements = operand.box[Dim::w].size();
  const auto algorithm = gradient_allreduce_of(plan_, elements * bytes_of(buffer_element(element)));
  collective(named,
             builder_.slot(range.last_slot).layer,
             Stream::reduce,
             {.kind = kind,
              .algorithm = for_replicas(algorithm, first, last),
              .group = range.group,
              .operand = operand,
              .element = element,
              .elements = elements});
}

// Updates the ranges before `end`, all together, or each range's shard.
void Lowering::update_weights(std::size_t end) {
  const std::vector<GradientRange>& ranges = builder_.schedule().gradient_ranges;
  while (updated_ < end) {
    GradientRange range = ranges[updated_++];
    for (; !plan_.sharded_update && updated_ < end; ++updated_) {
      range.last_slot = ranges[updated_].last_slot;
    }
    update_weights(range);
  }
}

void Lowering::update_weights(const GradientRange& range) {
  const Schedule& schedule = builder_.schedule();
  const Operand gradient = updated_slots(schedule.gradients, range, false);
  KernelSpec spec{.kind = KernelKind::sgd, .phase = KernelPhase::update};
  spec.in = spec.out = shape_of(gradient.box);
  spec.precision = plan_.precision;
  std::vector<Operand> operands{updated_slots(schedule.weights, range, true),
                                gradient,
                                updated_slots(schedule.momentum, range, true)};
  if (schedule.weight_copies >= 0) {
    operands.push_back(updated_slots(schedule.weight_copies, range, true));
  }
  builder_.add_operation(
      {.id = "sgd/" + std::to_string(update_count_++),
       .label = {.part = OperationPart::update, .direction = Direction::backward}},
      builder_.slot(range.last_slot).layer,
      Stream::compute,
      KernelOperation{.spec = spec, .constants = {}, .operands = std::move(operands)});
}

}  // namespace cnnplan
