// Adds the slots in the order in which backpropagation reaches their layers.
#include "planner/schedule/lower/state/parameter_layout.hpp"

#include "planner/base/checked.hpp"
#include "planner/schedule/lower/state/gradient_ranges.hpp"
#include "planner/tensor/element.hpp"
#include "planner/tensor/shard.hpp"

namespace cnnplan {

ParameterLayout::ParameterLayout(const LoweringContext& context, OperationWriter& writer)
    : context_(context), writer_(writer), first_slot_(context.network().layers().size()) {}

void ParameterLayout::add_all() {
  const IndexedVector<UnitIndex, Unit>& units = context_.decomposition().units();
  for (UnitIndex i = units.end_index(); i-- > 0;) {
    const bool has_parameters = context_.network().parameter_count(units[i].head) > 0;
    if (context_.is_lowered(i) && has_parameters) add_slots(units[i]);
  }
  const Plan& plan = context_.plan();
  ScheduleBuilder& builder = writer_.builder();
  Schedule& schedule = writer_.schedule();
  schedule.weights = add_arena("weights", BufferRole::weights);
  if (has_weight_copies(plan.precision)) {
    schedule.weight_copies = builder.add_flat("weight_copies",
                                              BufferRole::weight_copies,
                                              buffer_element(activation_element(plan.precision)),
                                              slot_elements());
  }
  if (context_.is_inference()) return;
  schedule.gradient_ranges = gradient_ranges_of(plan, context_.rank(), schedule.slots);
  schedule.sharded_update = plan.sharded_update;
  schedule.optimizer_state_bytes = plan.optimizer_state_bytes;
  schedule.gradients = add_arena("gradients", BufferRole::gradients);
  schedule.momentum = builder.add_flat(
      "momentum", BufferRole::momentum, context_.parameter_buffer(), momentum_elements());
}

void ParameterLayout::add_slots(const Unit& unit) {
  const Plan& plan = context_.plan();
  const LayerParameters& parameters = context_.parameters(unit);
  SlotIndex& first = first_slot_[unit.head];
  if (std::holds_alternative<BatchNorm>(parameters)) {
    Box own = whole({{1, 1, 1, 1, context_.network().output_shape(unit.head, 1)[Dim::c]}});
    own[Dim::w] = context_.own_channels(unit.head);
    first = add_slot(unit, ParameterRole::scale, own);
    add_slot(unit, ParameterRole::shift, own);
    return;
  }
  first = add_slot(unit, ParameterRole::weight, weight_block(plan, unit.head, context_.rank()));
  if (has_bias(parameters)) {
    add_slot(unit, ParameterRole::bias, bias_block(plan, unit.head, context_.rank()));
  }
}

SlotIndex ParameterLayout::add_slot(const Unit& unit, ParameterRole role, const Box& box) {
  const bool is_weight = role == ParameterRole::weight;
  const Shape by_channel{{1, 1, 1, 1, context_.network().output_shape(unit.head, 1)[Dim::c]}};
  const bool has_kernel = is_weight && context_.is_here(unit);
  return writer_.builder().add_slot(
      {.layer = unit.head,
       .role = role,
       .shape = is_weight ? weight_shape(context_.network(), unit.head) : by_channel,
       .box = box,
       .elements = volume(box),
       .forward = has_kernel ? windowed_spec(context_.local(unit)) : KernelSpec{}});
}

BufferIndex ParameterLayout::add_arena(const std::string& name, BufferRole role) {
  return writer_.builder().add_flat(name, role, context_.parameter_buffer(), slot_elements());
}

std::int64_t ParameterLayout::slot_elements() const {
  std::int64_t elements = 0;
  for (const ParameterSlot& slot : writer_.schedule().slots) {
    elements = checked_add(elements, slot.elements);
  }
  return elements;
}

std::int64_t ParameterLayout::momentum_elements() const {
  const Schedule& schedule = writer_.schedule();
  if (!context_.plan().sharded_update) return slot_elements();
  std::int64_t elements = 0;
  for (const GradientRange& range : schedule.gradient_ranges) {
    elements = checked_add(elements, updated(schedule.weights, range, false).box[Dim::w].size());
  }
  return elements;
}

// A layer's weight or scale is its first slot, its bias or shift the second one.
SlotIndex ParameterLayout::slot(const Unit& unit, ParameterRole role) const {
  const bool is_second = role == ParameterRole::bias || role == ParameterRole::shift;
  return first_slot_[unit.head] + (is_second ? 1 : 0);
}

Operand ParameterLayout::value(const Unit& unit, ParameterRole role) const {
  const Schedule& schedule = writer_.schedule();
  const bool is_copy = role == ParameterRole::weight && schedule.weight_copies >= 0;
  const BufferIndex arena = is_copy ? schedule.weight_copies : schedule.weights;
  const SlotIndex place = slot(unit, role);
  return writer_.builder().slots(arena, place, place, false);
}

Operand ParameterLayout::gradient(const Unit& unit, ParameterRole role) const {
  const SlotIndex place = slot(unit, role);
  return writer_.builder().slots(writer_.schedule().gradients, place, place, true);
}

KernelSpec ParameterLayout::convolution_spec(const Unit& unit, KernelPhase phase) const {
  const ParameterSlot& weight = writer_.builder().slot(slot(unit, ParameterRole::weight));
  return cnnplan::convolution_spec(context_.local(unit), weight.forward, phase);
}

Operand ParameterLayout::updated(BufferIndex arena,
                                 const GradientRange& range,
                                 bool written) const {
  Operand operand = writer_.builder().slots(arena, range.first_slot, range.last_slot, written);
  if (!context_.plan().sharded_update) return operand;
  operand.shards = range.group.size();
  operand.shard = range.group.position_of(context_.rank());
  operand.box[Dim::w] = {0, shard_elements(operand.box[Dim::w].size(), operand.shards)};
  return operand;
}

}  // namespace cnnplan
