// Keeps the buffers of a schedule in the memory of a device.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "executor/backend/device.hpp"
#include "executor/step/parameter_store.hpp"
#include "planner/schedule/schedule.hpp"

namespace cnnplan {

// Gives the host a block to read: the buffer's own memory where the device is the host, else a
// copy. Do not copy this object, since the view of a copy would point into the original.
struct HostBlock {
  std::vector<std::byte> copy;  // empty where none is needed
  TensorView view;
};

// Holds the bytes of the buffers of role `state`, by name. With them, chains that multigrid runs
// begin the next step.
using SavedChainStates = std::map<std::string, std::vector<std::byte>>;

// Owns the buffers of one schedule, except parameters.
class ScheduleMemory {
 public:
  // Keeps references to all arguments. Allocates and zeroes the buffers. @throws as
  // Device::allocate() and allocate_staging()
  ScheduleMemory(const Schedule& schedule, Device& device, ParameterStore& parameters);

  // Return addresses and views in the memory of the device.
  // @pre the buffer of an address is no parameter arena
  void* address(BufferIndex buffer) const;
  // The view of slots is one array along w: several slots or a weight with padding, or this rank's
  // shard. The view of samples has all channels that the device stores.
  TensorView view(const Operand& operand) const;
  // Returns the block `box`, in global indices, of a buffer that is no parameter arena. Stored
  // channels of zeros are gaps of the view.
  TensorView buffer_view(BufferIndex buffer, const Box& box) const;

  // Returns memory in which the host prepares the contents of a buffer of data or labels. It is the
  // memory of the buffer where the device is the host.
  TensorView host_view(BufferIndex buffer, const Box& box) const;
  // Copies the memory of host_view() to the device, in the selected queue.
  void upload(BufferIndex buffer) const;
  // Copies a block to the host, and waits for the device.
  // @pre the operand is no slot of a parameter arena
  HostBlock read(const Operand& operand) const;
  // Copies the states of chains to the host, and waits for the device.
  SavedChainStates chain_states() const;
  // Sets the buffers of role `state` that `states` names, and waits for the device.
  // @pre each of them has as many bytes as its buffer
  void set_chain_states(const SavedChainStates& states) const;
  // Copies the losses to the host, as work of the selected queue. loss() is valid once the device
  // is synchronized after it.
  void fetch_loss();
  // Returns the sum of the losses that fetch_loss() copied.
  double loss() const;

  // Returns the bytes of the buffers on the device, without parameters and running values.
  std::int64_t bytes() const;

 private:
  const Buffer& buffer(BufferIndex index) const { return schedule_.buffers.at(index); }
  TensorView shard_view(const Operand& operand) const;
  TensorView parameter_view(const Operand& operand) const;
  TensorView view_in(void* memory, BufferIndex buffer, const Box& box) const;

  const Schedule& schedule_;
  Device& device_;
  ParameterStore& parameters_;
  MemoryBlock arena_;
  IndexedVector<BufferIndex, MemoryBlock> own_memory_;   // of buffers outside the arena
  IndexedVector<BufferIndex, MemoryBlock> host_memory_;  // of buffers that the host writes or reads
  IndexedVector<BufferIndex, LayerIndex> running_layer_;  // -1 where the buffer has other values
};

}  // namespace cnnplan
