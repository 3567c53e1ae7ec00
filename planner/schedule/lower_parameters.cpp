// Parameters: their slots and arenas, buckets of gradients, reductions and updates.
#include "planner/schedule/lowering.hpp"

namespace cnnplan {

// Slots in the order in which backpropagation reaches the units.
void Lowering::add_parameters() {
  const std::vector<Unit>& units = decomposition_.units();
  for (std::size_t i = units.size(); i-- > 0;) {
    if (network().parameter_count(units[i].head) > 0) add_slots(units[i]);
  }
  Schedule& schedule = builder_.schedule();
  schedule.weights = add_arena("weights", BufferRole::weights);
  if (mode_ == Mode::inference) return;
  schedule.gradients = add_arena("gradients", BufferRole::gradients);
  schedule.momentum = add_arena("momentum", BufferRole::momentum);
}

void Lowering::add_slots(const Unit& unit) {
  const std::int64_t channels = network().output_shape(unit.head, 1)[Dim::c];
  const auto vector_slot = [&](ParameterRole role) {
    return builder_.add_slot({.layer = unit.head,
                              .role = role,
                              .elements = channels,
                              .shape = {{1, 1, 1, 1, channels}}});
  };
  int& first = first_slot_[static_cast<std::size_t>(unit.head)];
  if (std::holds_alternative<BatchNorm>(layer(unit.head).parameters)) {
    first = vector_slot(ParameterRole::scale);
    vector_slot(ParameterRole::shift);
    return;
  }
  const KernelSpec spec = windowed_spec(unit);
  const auto& k = spec.window.dims;
  const Shape shape{
      {channels, spec.in[Dim::c] / spec.groups, k[0].kernel, k[1].kernel, k[2].kernel}};
  first = builder_.add_slot({.layer = unit.head,
                             .role = ParameterRole::weight,
                             .elements = volume(shape),
                             .shape = shape,
                             .forward = spec});
  if (spec.bias) vector_slot(ParameterRole::bias);
}

BufferIndex Lowering::add_arena(const std::string& name, BufferRole role) {
  return builder_.add_flat(name, role, element(), network().parameter_count());
}

Operand Lowering::slot_operand(BufferIndex arena, int slot, bool written) const {
  return builder_.slots(arena, slot, slot, written);
}

// Slots of a unit join the open bucket; a bucket is reduced when it is full or the group changes.
void Lowering::add_to_bucket(const Unit& unit) {
  const int first = first_slot_[static_cast<std::size_t>(unit.head)];
  if (first < 0) return;
  const std::vector<int> group = reduction_group(layer_plan(unit.head).mesh, rank_);
  if (bucket_end_ > bucket_first_ && group != bucket_group_) close_bucket();
  bucket_group_ = group;
  const auto& slots = builder_.schedule().slots;
  while (bucket_end_ < static_cast<int>(slots.size()) &&
         slots[static_cast<std::size_t>(bucket_end_)].layer == unit.head) {
    ++bucket_end_;
  }
  std::int64_t elements = 0;
  for (int i = bucket_first_; i < bucket_end_; ++i) elements += builder_.slot(i).elements;
  const std::int64_t bytes = elements * bytes_per_element(plan_.precision);
  if (bytes >= plan_.bucket_bytes) close_bucket();
}

void Lowering::close_bucket() {
  if (bucket_end_ == bucket_first_) return;
  Schedule& schedule = builder_.schedule();
  const int last = bucket_end_ - 1;
  const LayerIndex owner = builder_.slot(last).layer;
  const std::string number = std::to_string(bucket_count_++);
  const Operand gradient = builder_.slots(schedule.gradients, bucket_first_, last, true);
  allreduce("reduce/" + number,
            owner,
            Stream::reduce,
            {.algorithm = plan_.gradient_allreduce,
             .group = bucket_group_,
             .operand = gradient,
             .element = plan_.precision == Precision::fp32 ? ElementType::fp32 : ElementType::fp64,
             .elements = gradient.box[Dim::w].size()});
  KernelSpec spec{.kind = KernelKind::sgd, .phase = KernelPhase::update};
  spec.in = spec.out = shape_of(gradient.box);
  spec.precision = plan_.precision;
  Operand read_gradient = gradient;
  read_gradient.written = false;
  builder_.add_operation(
      "sgd/" + number,
      owner,
      Stream::compute,
      KernelOperation{.spec = spec,
                      .constants = {},
                      .operands = {builder_.slots(schedule.weights, bucket_first_, last, true),
                                   read_gradient,
                                   builder_.slots(schedule.momentum, bucket_first_, last, true)}});
  bucket_first_ = bucket_end_;
}

}  // namespace cnnplan
