// Places the parameter slots of a rank in the arenas (ParameterArena in parameter_store.hpp), and
// says which elements the rank updates.
#pragma once

#include <cstdint>
#include <vector>

#include "executor/backend/backend.hpp"
#include "planner/schedule/schedule.hpp"

namespace cnnplan {

// Describes slots whose gradients are summed together in a sharded update.
struct SlotShard {
  SlotIndex first_slot;
  SlotIndex last_slot;               // inclusive
  Range own;                         // elements of the arenas that this rank updates
  std::int64_t momentum_offset = 0;  // where their momentum begins in its arena, in elements
};

// An arena holds the slots one after another in the backend's format, where slot_offsets()
// (planner/schedule/parameter_offsets.hpp) places them. Offsets and sizes are in elements.
class ArenaLayout {
 public:
  ArenaLayout(const Schedule& schedule, Backend& backend);

  // Returns where a slot begins in every arena except a momentum in shards.
  std::int64_t offset(SlotIndex slot) const { return offsets_.at(slot); }
  // Returns the elements of slots first..last, both inclusive, with their padding.
  std::int64_t elements(SlotIndex first_slot, SlotIndex last_slot) const;
  // Returns the elements of all slots.
  std::int64_t elements() const { return offsets_.back(); }
  // Returns the elements of this rank's shards, or 0 unless the update is sharded.
  std::int64_t own_elements() const;

  // Returns this rank's shards, in the order of slots. The list is empty unless the update is
  // sharded.
  const std::vector<SlotShard>& shards() const { return shards_; }
  // Returns the part of `rank` in the elements of slots whose gradients are summed together. It is
  // also defined where every rank updates all of them; the last parts may then be shorter or empty.
  // Its momentum_offset is 0.
  // @pre the rank is in the range's group
  SlotShard share_of(const GradientRange& range, int rank) const;
  // Returns the shard that begins with a slot. @pre a shard's first slot is `first_slot`
  const SlotShard& shard_from(SlotIndex first_slot) const;
  // Returns the shard whose slots include this one. @pre there are shards
  const SlotShard& shard_with(SlotIndex slot) const;

 private:
  void find_shards(const Schedule& schedule);

  std::vector<std::int64_t> offsets_;  // one more than slots
  std::vector<SlotShard> shards_;
};

}  // namespace cnnplan
