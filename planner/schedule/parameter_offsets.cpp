// Adds up slots in their order, and closes each range of a sharded update with room for its shards.
#include "planner/schedule/parameter_offsets.hpp"

#include "planner/base/checked.hpp"
#include "planner/schedule/stored_samples.hpp"
#include "planner/tensor/shard.hpp"

namespace cnnplan {
namespace {

// Returns the elements of each shard of a range.
std::int64_t elements_per_shard(const GradientRange& range,
                                const std::vector<std::int64_t>& offsets) {
  return shard_elements(offsets.at(range.last_slot + 1) - offsets.at(range.first_slot),
                        range.group.size());
}

}  // namespace

std::int64_t stored_elements(const Schedule& schedule,
                             const ParameterSlot& slot,
                             DeviceKind device,
                             const WeightElements& weight_elements) {
  const bool is_stored_weight = slot.role == ParameterRole::weight && slot.elements > 0;
  return shard_elements(
      is_stored_weight ? weight_elements(stored_forward(schedule, slot, device)) : slot.elements,
      1);
}

std::vector<std::int64_t> slot_offsets(const Schedule& schedule,
                                       DeviceKind device,
                                       const WeightElements& weight_elements) {
  std::vector<std::int64_t> offsets{0};
  auto range = schedule.gradient_ranges.begin();
  for (const SlotIndex i : schedule.slots.indices()) {
    const std::int64_t elements =
        stored_elements(schedule, schedule.slots[i], device, weight_elements);
    offsets.push_back(checked_add(offsets.back(), elements));
    if (!schedule.sharded_update || range->last_slot != i) continue;
    const std::int64_t padded_elements =
        checked_multiply(elements_per_shard(*range, offsets), std::int64_t{range->group.size()});
    offsets.back() = checked_add(offsets.at(range->first_slot), padded_elements);
    ++range;
  }
  return offsets;
}

std::int64_t own_shard_elements(const Schedule& schedule,
                                const std::vector<std::int64_t>& offsets) {
  std::int64_t elements = 0;
  if (!schedule.sharded_update) return elements;
  for (const GradientRange& range : schedule.gradient_ranges) {
    elements = checked_add(elements, elements_per_shard(range, offsets));
  }
  return elements;
}

}  // namespace cnnplan
