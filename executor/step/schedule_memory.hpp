// The buffers of a schedule in the memory of a device.
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

// A block that the host may read: the buffer's own memory where the device is the host, else a
// copy.
struct HostBlock {
  std::vector<std::byte> copy;  // empty where none is needed
  TensorView view;
};

// What buffers of role `state` hold, by name.
using ChainStates = std::map<std::string, std::vector<std::byte>>;

class ScheduleMemory {
 public:
  // Keeps references. Allocates and zeroes.
  ScheduleMemory(const Schedule& schedule, Device& device, ParameterStore& parameters);

  // Of the device.
  void* address(BufferIndex buffer) const;
  TensorView view(const Operand& operand) const;
  // This rank's block of a buffer that is no parameter arena.
  TensorView buffer_view(BufferIndex buffer, const Box& box) const;

  // Memory in which the host prepares what a buffer of data or labels shall hold.
  TensorView host_view(BufferIndex buffer, const Box& box) const;
  // Puts it in the selected queue.
  void upload(BufferIndex buffer) const;
  // Waits for the device. @pre the operand is no slot of a parameter arena
  HostBlock read(const Operand& operand) const;
  // Waits for the device.
  ChainStates chain_states() const;
  // Of those that are in the schedule, too. Waits for the device.
  void set_chain_states(const ChainStates& states) const;
  // The losses, put in the selected queue; their sum is valid when the device is synchronized.
  void fetch_loss();
  double loss() const;

  std::int64_t bytes() const;

 private:
  const Buffer& buffer(BufferIndex index) const;
  TensorView shard_view(const Operand& operand) const;
  TensorView parameter_view(const Operand& operand) const;

  const Schedule& schedule_;
  Device& device_;
  ParameterStore& parameters_;
  MemoryBlock arena_;
  std::vector<MemoryBlock> own_memory_;   // by buffer: the roles outside the arena
  std::vector<MemoryBlock> host_memory_;  // by buffer: those that the host writes or reads
  std::vector<LayerIndex> running_layer_;
};

}  // namespace cnnplan
