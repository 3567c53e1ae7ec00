// The weights, gradients and momentum of one rank, and the running values of batch norm.
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

// Arenas hold the slots one after another in the backend's format, each padded to whole cache lines
// with zeros: a range of slots is one contiguous array. All are in the element of parameters but
// the weight copies, which are in that of activations, and empty where the precision has none;
// gradients and momentum are empty for a schedule without them. With a sharded update, momentum is
// this rank's shards alone, one after another. The memory is that of the backend's device; plain
// tensors are in the host's.
class ParameterStore {
 public:
  // Keeps references to `backend`. Allocates and zeroes.
  ParameterStore(const Schedule& schedule,
                 const Network& network,
                 Precision precision,
                 Backend& backend);

  // Elements of slots first..last, padding included.
  std::int64_t elements(int first_slot, int last_slot) const;
  // @pre arena is not momentum where that is in shards
  void* address(ParameterArena arena, int slot) const;

  // Slots whose gradients are summed together, with a sharded update; else there are none.
  struct SlotShard {
    int first_slot = 0;
    int last_slot = 0;
    Range own;                         // elements of the arenas that this rank updates
    std::int64_t momentum_offset = 0;  // of their momentum, in elements
  };
  const std::vector<SlotShard>& shards() const { return shards_; }
  // Of the slots from this one on. @pre a shard's first slot is `first_slot`
  const SlotShard& shard_from(int first_slot) const;
  void* address(ParameterArena arena, const SlotShard& shard) const;
  // Momentum of all slots as in an arena without shards, in the memory of the host; of this rank's
  // shards alone what is not zero. @pre there are shards
  std::vector<std::byte> spread_momentum() const;
  // The same of all ranks, which plain() reads then; empty: forgotten.
  void set_whole_momentum(std::vector<std::byte> momentum) {
    whole_momentum_ = std::move(momentum);
  }
  // Where slots begin in the arenas, in elements.
  std::int64_t offset(int slot) const { return offsets_.at(slot); }

  // Plain order, this rank's part: ParameterSlot::box. @pre arena is not weight_copies; momentum in
  // shards was made whole
  std::vector<double> plain(ParameterArena arena, int slot) const;
  // Sets the copy, too.
  void set_weight(int slot, std::span<const double> plain);
  void set_momentum(int slot, std::span<const double> plain);
  // Running mean and variance of a batch norm, in the element of parameters: of the channels that
  // this rank owns.
  void* running_mean(LayerIndex layer) const;
  void* running_variance(LayerIndex layer) const;
  std::vector<double> running_values(LayerIndex layer, bool variance) const;
  void set_running_values(LayerIndex layer, bool variance, std::span<const double> values);
  Range running_channels(LayerIndex layer) const { return running(layer).channels; }

  const std::vector<ParameterSlot>& slots() const { return slots_; }
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
  std::vector<std::byte> stored_bytes(ParameterArena arena, int slot, std::int64_t elements) const;
  std::vector<std::byte> in_backend_format(int slot, std::span<const double> plain) const;
  const Running& running(LayerIndex layer) const { return running_.at(layer); }

  std::vector<ParameterSlot> slots_;
  std::vector<std::int64_t> offsets_;  // in elements; one more than slots
  Precision precision_;
  Backend* backend_;
  std::vector<SlotShard> shards_;
  std::array<MemoryBlock, 4> arenas_;
  std::vector<std::byte> whole_momentum_;
  std::map<LayerIndex, Running> running_;
};

// First weights: the same for every plan.
void initialize(ParameterStore& store, const Network& network, std::uint64_t seed);

}  // namespace cnnplan
