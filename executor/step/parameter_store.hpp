// Holds the weights, gradients and momentum of one rank, and the running values of batch norms.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "executor/backend/backend.hpp"
#include "executor/backend/memory_block.hpp"
#include "executor/step/arena_layout.hpp"
#include "executor/step/running_values.hpp"
#include "executor/step/slices.hpp"
#include "planner/schedule/schedule.hpp"

namespace cnnplan {

// Names the arrays that hold parameters. `weights` has all parameters, and `weight_copies` has them
// in the precision of activations.
enum class ParameterArena { weights, gradients, momentum, weight_copies };

// Owns the memory of a rank's parameters. Each arena holds the slots in the backend's format,
// placed by an ArenaLayout and padded with zeros, so that a range of slots is one contiguous array.
// Arenas have the element of parameters. The weight copies have the element of activations, and are
// empty where the precision has none. Gradients and momentum are empty for a schedule without them.
// With a sharded update, momentum has only this rank's shards, one after another. The memory is on
// the backend's device; plain tensors are in the host's memory.
class ParameterStore {
 public:
  // Keeps a reference to `backend`, and no other. Allocates and zeroes.
  // @throws as Device::allocate()
  ParameterStore(const Schedule& schedule,
                 const Network& network,
                 Precision precision,
                 Backend& backend);

  const ArenaLayout& layout() const { return layout_; }
  // Returns the elements of slots first..last, both inclusive, with their padding.
  std::int64_t elements(SlotIndex first_slot, SlotIndex last_slot) const {
    return layout_.elements(first_slot, last_slot);
  }
  // Return addresses in the memory of the device: of a slot, and of the range `own` of a shard.
  // @pre for a slot, the arena is not a momentum in shards
  void* address(ParameterArena arena, SlotIndex slot) const;
  void* address(ParameterArena arena, const SlotShard& shard) const;

  // Returns the momentum as a whole arena in the memory of the host, where everything outside of
  // this rank's shards is zero. @pre there are shards
  std::vector<std::byte> spread_momentum() const;
  // Takes such an arena with the shards of all ranks, from which plain() then reads momentum. An
  // empty list makes the store forget it.
  void set_whole_momentum(std::vector<std::byte> momentum) {
    whole_momentum_ = std::move(momentum);
  }

  // Returns this rank's part of a parameter (ParameterSlot::box), row-major in the dims of
  // ParameterSlot::shape. The list is empty if the part is. This function and the next one wait for
  // the device. @pre the arena is not weight_copies; momentum in shards was made whole
  // (WholeMomentum)
  std::vector<double> plain(ParameterArena arena, SlotIndex slot) const;
  // Returns the values of `part` of this rank's part of a parameter, in the same order. For a
  // weight, `part` has some of the filters. For other parameters, it has all elements.
  // @pre `part` lies in ParameterSlot::box, and differs from it along dim n only
  std::vector<double> plain(ParameterArena arena, SlotIndex slot, const Box& part) const;
  // Returns the boxes of the slices in which a parameter is read and written, so that little of it
  // is converted at once. The whole part is one slice unless it is a weight that can be written in
  // place. A weight in memory of a GPU cannot, nor can momentum in shards. An empty part has no
  // slices.
  std::vector<Box> slices(ParameterArena arena, SlotIndex slot) const;
  // Both functions set this rank's part of a parameter. They ask for the values of each slice in
  // turn, in the order of plain(). set_weight() sets the copy of the weight, too. set_momentum()
  // sets the elements that are in this rank's shards, if momentum is in shards.
  void set_weight(SlotIndex slot, const SliceSource& values);
  void set_momentum(SlotIndex slot, const SliceSource& values);

  const RunningValues& running() const { return running_; }
  RunningValues& running() { return running_; }

  // Returns the slots. `forward` of a weight is the convolution that the device runs.
  const ParameterSlots& slots() const { return slots_; }
  Precision precision() const { return precision_; }
  ElementType element_of(ParameterArena arena) const;
  Device& device() const { return backend_->device(); }
  // Returns the bytes of the arenas and the running values, on the device.
  std::int64_t bytes() const;

 private:
  // Refers to bytes in the memory of the host, which may be a copy.
  struct HostBytes {
    std::vector<std::byte> copy{};  // empty where none is needed
    const std::byte* data = nullptr;
  };

  bool is_in_shards(ParameterArena arena) const;
  const MemoryBlock& memory(ParameterArena arena) const;
  bool is_in_place(ParameterArena arena) const;
  HostBytes stored(ParameterArena arena, SlotIndex slot) const;
  void set(ParameterArena arena, SlotIndex slot, const SliceSource& values);
  void upload_slot(ParameterArena arena, SlotIndex slot, const std::vector<std::byte>& bytes);

  ParameterSlots slots_;
  Precision precision_;
  Backend* backend_;
  ArenaLayout layout_;
  std::array<MemoryBlock, 4> arenas_;
  std::vector<std::byte> whole_momentum_;
  RunningValues running_;
};

// Sets the first parameters, which are equal for every plan. It is not collective.
void initialize(ParameterStore& store, const Network& network, std::uint64_t seed);

}  // namespace cnnplan
