// Adds reductions, updates, and the gathering of weights that a sharded update leaves in shards.
#include "planner/schedule/lower/state/gradient_buckets.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "planner/tensor/element.hpp"

namespace cnnplan {

GradientBuckets::GradientBuckets(const LoweringContext& context,
                                 OperationWriter& writer,
                                 const ParameterLayout& parameters)
    : context_(context), writer_(writer), parameters_(parameters) {}

void GradientBuckets::gather_weights() {
  if (!context_.plan().sharded_update || context_.is_inference()) return;
  const Schedule& schedule = writer_.schedule();
  for (std::size_t i = schedule.gradient_ranges.size(); i-- > 0;) {
    const GradientRange& range = schedule.gradient_ranges[i];
    LabelledId named{.id = "reduce/" + std::to_string(i) + "/gather",
                     .label = {.part = OperationPart::weight_allgather}};
    exchange(named, range, CollectiveKind::allgather, schedule.weights);
    if (schedule.weight_copies < 0) continue;
    named.id += "_copies";
    exchange(named, range, CollectiveKind::allgather, schedule.weight_copies);
  }
}

void GradientBuckets::complete(const Unit& unit) {
  const Schedule& schedule = writer_.schedule();
  while (complete_slots_ < schedule.slots.end_index() &&
         writer_.builder().slot(complete_slots_).layer == unit.head) {
    ++complete_slots_;
  }
  while (reduced_ < schedule.gradient_ranges.size() &&
         schedule.gradient_ranges[reduced_].last_slot < complete_slots_) {
    reduce(reduced_++);
  }
}

// Buckets are updated after all of backpropagation. So a step can look at all gradients before any
// update, and where reductions run while kernels do, backpropagation waits for no sum.
void GradientBuckets::update_all() {
  const std::vector<GradientRange>& ranges = writer_.schedule().gradient_ranges;
  for (std::size_t i = updated_; i < reduced_; ++i) {
    if (ranges[i].ends_bucket) update_before(i + 1);
  }
}

void GradientBuckets::reduce(std::size_t range) {
  const Schedule& schedule = writer_.schedule();
  const bool is_sharded = context_.plan().sharded_update;
  exchange({.id = "reduce/" + std::to_string(range),
            .label = {.part = OperationPart::gradient_reduction, .direction = Direction::backward}},
           schedule.gradient_ranges[range],
           is_sharded ? CollectiveKind::reduce_scatter : CollectiveKind::allreduce,
           schedule.gradients);
}

void GradientBuckets::exchange(const LabelledId& named,
                               const GradientRange& range,
                               CollectiveKind kind,
                               BufferIndex arena) {
  const Plan& plan = context_.plan();
  const ScheduleBuilder& builder = writer_.builder();
  const Operand operand = builder.slots(arena, range.first_slot, range.last_slot, true);
  const bool is_copy = arena == writer_.schedule().weight_copies;
  const auto [first, last] =
      std::minmax(builder.slot(range.first_slot).layer, builder.slot(range.last_slot).layer);
  const ElementType element =
      is_copy ? activation_element(plan.precision) : parameter_element(plan.precision);
  const std::int64_t elements = operand.box[Dim::w].size();
  const auto algorithm = gradient_allreduce_of(plan, elements * bytes_of(buffer_element(element)));
  writer_.collective(named,
                     builder.slot(range.last_slot).layer,
                     Stream::reduce,
                     {.kind = kind,
                      .algorithm = allreduce_for_replicas(plan, algorithm, first, last),
                      .group = range.group,
                      .operand = operand,
                      .element = element,
                      .elements = elements});
}

// Updates the ranges before `end`, all together, or each range's shard.
void GradientBuckets::update_before(std::size_t end) {
  const std::vector<GradientRange>& ranges = writer_.schedule().gradient_ranges;
  while (updated_ < end) {
    GradientRange range = ranges[updated_++];
    for (; !context_.plan().sharded_update && updated_ < end; ++updated_) {
      range.last_slot = ranges[updated_].last_slot;
    }
    update(range);
  }
}

void GradientBuckets::update(const GradientRange& range) {
  const Schedule& schedule = writer_.schedule();
  const Operand gradient = parameters_.updated(schedule.gradients, range, false);
  KernelSpec spec{.kind = KernelKind::sgd, .phase = KernelPhase::update};
  spec.in = spec.out = shape_of(gradient.box);
  spec.precision = context_.plan().precision;
  std::vector<Operand> operands{parameters_.updated(schedule.weights, range, true),
                                gradient,
                                parameters_.updated(schedule.momentum, range, true)};
  if (schedule.weight_copies >= 0) {
    operands.push_back(parameters_.updated(schedule.weight_copies, range, true));
  }
  writer_.builder().add_operation(
      {.id = "sgd/" + std::to_string(update_count_++),
       .label = {.part = OperationPart::update, .direction = Direction::backward}},
      writer_.builder().slot(range.last_slot).layer,
      Stream::compute,
      KernelOperation{.spec = spec, .constants = {}, .operands = std::move(operands)});
}

}  // namespace cnnplan
