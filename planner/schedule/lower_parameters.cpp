// Parameters: their slots and arenas, buckets of gradients, reductions and updates.
#include "planner/schedule/lowering.hpp"

namespace cnnplan {

// Slots in the order in which backpropagation reaches the units.
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
  schedule.gradients = add_arena("gradients", BufferRole::gradients);
  schedule.momentum = add_arena("momentum", BufferRole::momentum);
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

// Slots of a unit join the open bucket; it is updated when its tensors, of which a rank may have
// parts only, fill it, so that all plans of a network update the same layers together. Until then
// it is reduced in parts where the group changes.
void Lowering::add_to_bucket(const Unit& unit) {
  const int first = first_slot_[static_cast<std::size_t>(unit.head)];
  if (first < 0) return;
  const RankGroup group = reduction_group(layer_plan(unit.head).mesh, rank_);
  if (group != bucket_group_) reduce_gradients();
  bucket_group_ = group;
  const auto& slots = builder_.schedule().slots;
  while (complete_ < static_cast<int>(slots.size()) &&
         slots[static_cast<std::size_t>(complete_)].layer == unit.head) {
    bucket_elements_ += volume(slots[static_cast<std::size_t>(complete_)].shape);
    ++complete_;
  }
  const std::int64_t bytes = bucket_elements_ * parameter_bytes(plan_.precision);
  if (bytes >= plan_.bucket_bytes) close_bucket();
}

// Where reductions run beside kernels, the weights of a bucket are updated when the next one is
// reduced: until then the kernels do not wait for its sum.
void Lowering::close_bucket() {
  reduce_gradients();
  update_weights(plan_.overlap ? bucket_begin_ : complete_);
  bucket_begin_ = complete_;
  bucket_elements_ = 0;
}

void Lowering::reduce_gradients() {
  if (reduced_ == complete_) return;
  const int last = complete_ - 1;
  const Operand gradient = builder_.slots(builder_.schedule().gradients, reduced_, last, true);
  allreduce("reduce/" + std::to_string(reduction_count_++),
            builder_.slot(last).layer,
            Stream::reduce,
            {.algorithm = plan_.gradient_allreduce,
             .group = bucket_group_,
             .operand = gradient,
             .element = parameter_element(plan_.precision),
             .elements = gradient.box[Dim::w].size()});
  reduced_ = complete_;
}

// Of the slots before `end`.
void Lowering::update_weights(int end) {
  if (updated_ == end) return;
  const Schedule& schedule = builder_.schedule();
  const int last = end - 1;
  const Operand gradient = builder_.slots(schedule.gradients, updated_, last, false);
  KernelSpec spec{.kind = KernelKind::sgd, .phase = KernelPhase::update};
  spec.in = spec.out = shape_of(gradient.box);
  spec.precision = plan_.precision;
  std::vector<Operand> operands{builder_.slots(schedule.weights, updated_, last, true),
                                gradient,
                                builder_.slots(schedule.momentum, updated_, last, true)};
  if (schedule.weight_copies >= 0) {
    operands.push_back(builder_.slots(schedule.weight_copies, updated_, last, true));
  }
  builder_.add_operation(
      "sgd/" + std::to_string(update_count_++),
      builder_.slot(last).layer,
      Stream::compute,
      KernelOperation{.spec = spec, .constants = {}, .operands = std::move(operands)});
  updated_ = end;
}

}  // namespace cnnplan
