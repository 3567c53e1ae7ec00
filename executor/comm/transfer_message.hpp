// Packs all pieces that one rank sends to or receives from one peer into one message.
#pragma once

#include <cstdint>
#include <vector>

#include "executor/backend/box_copy.hpp"
#include "executor/backend/device.hpp"
#include "planner/tensor/transfer.hpp"

namespace cnnplan {

// Names a dense buffer, in memory of the device, that holds `box`.
struct BoxBuffer {
  void* data = nullptr;
  Box box;
  ElementType element = ElementType::fp32;
};
// Returns a view of the block `inner` in the buffer. @pre the buffer's box contains it
TensorView view_of(const BoxBuffer& buffer, const Box& inner);

// Says where messages lie, and where MPI finds them.
struct MessageMemory {
  Device* device = nullptr;  // the device that holds the buffers
  bool mirrored = false;     // MPI sees copies in the host's memory
};

// A message holds its pieces one after the other, in the order of the list. A single piece that is
// contiguous in the buffer is itself the message: nothing is staged or copied.
class TransferMessage {
 public:
  // `boxes` are the pieces, in the order of the list. `in_place` allows the message to lie in the
  // buffer itself. @pre there is a box, and the buffer holds all of them
  // @throws as Device::allocate() and allocate_staging()
  TransferMessage(int peer,
                  const std::vector<Box>& boxes,
                  const BoxBuffer& buffer,
                  bool in_place,
                  const MessageMemory& memory);

  int peer() const { return peer_; }
  // Returns the memory that MPI sends or receives.
  void* mpi_data() const { return mirror_.data() == nullptr ? data_ : mirror_.data(); }
  std::int64_t elements() const { return elements_; }
  // Returns the bytes of device memory for staging; a mirror is memory of the host and does not
  // count.
  std::int64_t staging_bytes() const { return staging_.size_bytes(); }
  // Returns the place of each box in a staged message, and nothing for a message in place.
  const std::vector<TensorView>& staged() const { return staged_; }
  // These functions copy between the message and its mirror in the selected queue, and do nothing
  // without a mirror.
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
