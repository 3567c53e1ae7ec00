// Stores the weights, gradients and momentum of one rank, and the running values of batch norm.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "executor/backend/backend.hpp"
#include "executor/backend/memory_block.hpp"
#include "planner/schedule/schedule.hpp"

namespace cnnplan {

enum class ParameterArena { weights, gradients, momentum, weight_copies };

// Arenas hold the slots one after another in the backend's format. Each slot is padded to whole
// cache lines with zeros, so a range of slots is one contiguous array. Weight copies have the
// element type of activations, and all other arenas have the element type of parameters. An arena
// is empty where the precision or the schedule has no use for it. With a sharded update, momentum
// is this rank's shards alone, one after another. Arenas are in the memory of the backend's device,
// and plain tensors are in the memory of the host.
class ParameterStore {
 public:
  // Keeps references to `backend`. Allocates and zeroes.
  ParameterStore(const Schedule& schedule,
                 const Network& network,
                 Precision precision,
                 Backend& backend);

  // Returns the number of elements of the slots first..last, padding included.
  std::int64_t elements(SlotIndex first_slot, SlotIndex last_slot) const;
  // @pre arena is not momentum where momentum is in shards
  void* address(ParameterArena arena, SlotIndex slot) const;

  // Slots whose gradients are summed together, with a sharded update; else there are none.
  struct SlotShard {
    SlotIndex first_slot;
    SlotIndex last_slot;
    Range own;                         // elements of the arenas that this rank updates
    std::int64_t momentum_offset = 0;  // of their momentum, in elements
  };
  const std::vector<SlotShard>& shards() const { return shards_; }
  // Returns the shard that begins with this slot. @pre there is such a shard
  const SlotShard& shard_from(SlotIndex first_slot) const;
  void* address(ParameterArena arena, const SlotShard& shard) const;
  // Returns the momentum of all slots as in an arena without shards, in the memory of the host.
  // Outside of this rank's shards, it is zero. @pre there are shards
  std::vector<std::byte> spread_momentum() const;
  // Sets the momentum of all ranks, which plain() then reads. An empty vector removes it.
  void set_whole_momentum(std::vector<std::byte> momentum) {
    whole_momentum_ = std::move(momentum);
  }
  // Returns where a slot begins in the arenas, in elements.
  std::int64_t offset(SlotIndex slot) const { return offsets_.at(slot); }

  // Returns this rank's part (ParameterSlot::box) in plain order.
  // @pre arena is not weight_copies; momentum in shards was made whole
  std::vector<double> plain(ParameterArena arena, SlotIndex slot) const;
  // Sets a slot from plain order. The first function sets the copy of the weight, too.
  void set_weight(SlotIndex slot, std::span<const double> plain);
  void set_momentum(SlotIndex slot, std::span<const double> plain);
  // Return the running mean and variance of a batch norm for the channels that this rank owns, in
  // the element type of parameters.
  void* running_mean(LayerIndex layer) const;
  void* running_variance(LayerIndex layer) const;
  std::vector<double> running_values(LayerIndex layer, bool variance) const;
  void set_running_values(LayerIndex layer, bool variance, std::span<const double> values);
  Range running_channels(LayerIndex layer) const { return running(layer).channels; }

  const ParameterSlots& slots() const { return slots_; }
  Precision precision() const { return precision_; }
  ElementType element_of(ParameterArena arena) const;
  Device& device() const { return backend_->device(); }
  std::int64_t bytes() const;

 private:
  struct Running {
    Range channels;
    MemoryBlock mean;
    MemoryBlock variance;
  };
  void place_slots(const Schedule& schedule);
  void find_shards(const Schedule& schedule);
  std::int64_t arena_elements(ParameterArena arena) const;
  std::vector<std::byte> stored_bytes(ParameterArena arena,
                                      SlotIndex slot,
                                      std::int64_t elements) const;
  std::vector<std::byte> in_backend_format(SlotIndex slot, std::span<const double> plain) const;
  const Running& running(LayerIndex layer) const { return running_.at(layer); }

  ParameterSlots slots_;
  std::vector<std::int64_t> offsets_;  // in elements; one more than slots
  Precision precision_;
  Backend* backend_;
  std::vector<SlotShard> shards_;
  std::array<MemoryBlock, 4> arenas_;
  std::vector<std::byte> whole_momentum_;
  std::map<LayerIndex, Running> running_;
};

// Sets the first weights, which are equal for all plans.
void initialize(ParameterStore& store, const Network& network, std::uint64_t seed);

}  // namespace cnnplan
