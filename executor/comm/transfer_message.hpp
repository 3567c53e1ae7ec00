// All pieces that one rank sends to or receives from one peer, as one message.
#pragma once

#include <cstdint>
#include <vector>

#include "executor/backend/box_copy.hpp"
#include "executor/backend/device.hpp"
#include "planner/tensor/transfer.hpp"

namespace cnnplan {

// A dense buffer that holds `box`.
struct BoxBuffer {
  void* data = nullptr;
  Box box;
  ElementType element = ElementType::fp32;
};
TensorView view_of(const BoxBuffer& buffer, const Box& inner);

// Where messages are, and where MPI finds them.
struct MessageMemory {
  Device* device = nullptr;  // of the buffers
  bool mirrored = false;     // MPI sees copies in the host's memory
};

// Pieces one after the other, in the order of the list. A single piece that is contiguous in the
// buffer is the message itself: nothing is staged or copied.
class TransferMessage {
 public:
  // `in_place` allows the message to be memory of the buffer.
  TransferMessage(int peer,
                  const std::vector<Box>& boxes,
                  const BoxBuffer& buffer,
                  bool in_place,
                  const MessageMemory& memory);

  int peer() const { return peer_; }
  // What MPI sends or receives.
  void* mpi_data() const { return mirror_.data() == nullptr ? data_ : mirror_.data(); }
  std::int64_t elements() const { return elements_; }
  // Of the device; a mirror is memory of the host.
  std::int64_t staging_bytes() const { return staging_.size_bytes(); }
  // Where each box lies in the message, when it is staged; empty when it is in place.
  const std::vector<TensorView>& staged() const { return staged_; }
  // Between the message and its mirror, put in the selected queue; nothing without a mirror.
  void copy_to_mirror(Device& device) const;
  void copy_from_mirror(Device& device) const;

 private:
  void stage(const std::vector<Box>& boxes, ElementType element, Device& device);

  int peer_;
  void* data_ = nullptr;
  std::int64_t elements_ = 0;
  MemoryBlock staging_;
  MemoryBlock mirror_;
  std::vector<TensorView> staged_;
};

}  // namespace cnnplan
