// The weights, gradients and momentum of one rank, and the running values of batch norm.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "executor/backend/backend.hpp"
#include "executor/backend/memory_block.hpp"
#include "planner/schedule/schedule.hpp"

namespace cnnplan {

enum class ParameterArena { weights, gradients, momentum, weight_copies };

// Arenas hold the slots one after another in the backend's format, each padded to whole cache lines
// with zeros: a range of slots is one contiguous array. All are in the element of parameters but
// the weight copies, which are in that of activations, and empty where the precision has none;
// gradients and momentum are empty for a schedule without them. The memory is that of the backend's
// device; plain tensors are in the host's.
class ParameterStore {
 public:
  // Keeps references to `backend`. Allocates and zeroes.
  ParameterStore(const Schedule& schedule,
                 const Network& network,
                 Precision precision,
                 Backend& backend);

  // Elements of slots first..last, padding included.
  std::int64_t elements(int first_slot, int last_slot) const;
  void* address(ParameterArena arena, int slot) const;
  // Plain order, this rank's part: ParameterSlot::box. @pre arena is not weight_copies
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
  std::int64_t bytes() const;

 private:
  struct Running {
    Range channels;
    MemoryBlock mean;
    MemoryBlock variance;
  };
  ElementType element_of(ParameterArena arena) const;
  std::vector<std::byte> in_backend_format(int slot, std::span<const double> plain) const;
  Device& device() const { return backend_->device(); }
  const Running& running(LayerIndex layer) const { return running_.at(layer); }

  std::vector<ParameterSlot> slots_;
  std::vector<std::int64_t> offsets_;  // in elements; one more than slots
  Precision precision_;
  Backend* backend_;
  std::array<MemoryBlock, 4> arenas_;
  std::map<LayerIndex, Running> running_;
};

// First weights: the same for every plan.
void initialize(ParameterStore& store, const Network& network, std::uint64_t seed);

}  // namespace cnnplan
