// Computes offsets of slots and shards from the schedule and the backend's sizes of weights.
#include "executor/step/arena_layout.hpp"

#include <algorithm>
#include <stdexcept>

#include "planner/base/checked.hpp"
#include "planner/schedule/parameter_offsets.hpp"
#include "planner/tensor/shard.hpp"

namespace cnnplan {

ArenaLayout::ArenaLayout(const Schedule& schedule, Backend& backend)
    : offsets_(slot_offsets(schedule, kind_of(backend.device()), [&](const KernelSpec& forward) {
        return backend.weight_elements(forward);
      })) {
  if (schedule.sharded_update) find_shards(schedule);
}

void ArenaLayout::find_shards(const Schedule& schedule) {
  std::int64_t momentum_offset = 0;
  for (const GradientRange& range : schedule.gradient_ranges) {
    shards_.push_back(share_of(range, schedule.rank));
    shards_.back().momentum_offset = momentum_offset;
    momentum_offset = checked_add(momentum_offset, shards_.back().own.size());
  }
}

SlotShard ArenaLayout::share_of(const GradientRange& range, int rank) const {
  const std::int64_t begin = offset(range.first_slot);
  const Range own = shard(elements(range.first_slot, range.last_slot),
                          range.group.size(),
                          range.group.position_of(rank));
  return {.first_slot = range.first_slot,
          .last_slot = range.last_slot,
          .own = {begin + own.begin, begin + own.end}};
}

std::int64_t ArenaLayout::elements(SlotIndex first_slot, SlotIndex last_slot) const {
  return offsets_.at(last_slot + 1) - offsets_.at(first_slot);
}

std::int64_t ArenaLayout::own_elements() const {
  return shards_.empty() ? 0 : shards_.back().momentum_offset + shards_.back().own.size();
}

const SlotShard& ArenaLayout::shard_from(SlotIndex first_slot) const {
  const auto found = std::find_if(shards_.begin(), shards_.end(), [&](const SlotShard& shard) {
    return shard.first_slot == first_slot;
  });
  if (found == shards_.end()) throw std::logic_error("no shard begins with this slot");
  return *found;
}

const SlotShard& ArenaLayout::shard_with(SlotIndex slot) const {
  const auto found = std::find_if(shards_.begin(), shards_.end(), [&](const SlotShard& shard) {
    return shard.last_slot >= slot;
  });
  if (found == shards_.end()) throw std::logic_error("no shard has this slot");
  return *found;
}

}  // namespace cnnplan
