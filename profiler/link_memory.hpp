// Holds memory of a device as messages use it: through a copy in the host's memory, unless the
// device is the host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "executor/backend/device.hpp"

namespace cnnplan {

// Owns a block of the device and its mirror, a copy of it in pinned memory of the host.
class LinkMemory {
 public:
  // Keeps a reference to the device. @throws as Device::allocate() and allocate_staging()
  LinkMemory(Device& device, std::int64_t bytes)
      : device_(device),
        memory_(device.allocate(bytes)),
        mirror_(device.is_host() ? MemoryBlock() : device.allocate_staging(bytes)),
        done_(device.make_event()) {}

  // Returns the memory that MPI sends or receives.
  std::span<std::byte> bytes(std::int64_t count) const {
    const MemoryBlock& seen = device_.is_host() ? memory_ : mirror_;
    return std::span(seen.data(), count);
  }
  // Returns the address in memory of the device.
  void* data() const { return memory_.data(); }
  // These functions copy `count` bytes to the mirror before it is sent, and from it after it is
  // received. Both wait for the selected queue and for no other, and do nothing on a host.
  void fetch(std::int64_t count) const {
    if (device_.is_host()) return;
    device_.copy_to_host(mirror_.data(), memory_.data(), count);
    wait();
  }
  void deliver(std::int64_t count) const {
    if (device_.is_host()) return;
    device_.copy_to_device(memory_.data(), mirror_.data(), count);
    wait();
  }

 private:
  void wait() const {
    done_->record();
    done_->synchronize();
  }

  Device& device_;
  MemoryBlock memory_;
  MemoryBlock mirror_;
  std::unique_ptr<Event> done_;
};

}  // namespace cnnplan
