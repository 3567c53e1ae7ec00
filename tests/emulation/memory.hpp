// Emulates device memory, which the host cannot touch, and page-locked host memory.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <vector>

namespace cnnplan::emulation {

// Allocations lie one after the other in one address space, and a page that nothing may touch
// precedes each of them. The memory is closed except while an OpenMemory lives. Freed addresses are
// not used again before clear().
class DeviceMemory {
 public:
  DeviceMemory() = default;
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;
  ~DeviceMemory() { clear(); }

  // Fills the bytes with 0xff, which is not-a-number in every floating-point type. It aligns them
  // to 256 bytes and promises no more. @throws std::bad_alloc when the system gives no memory
  void* allocate(std::size_t bytes, int device);
  // Returns false when no allocation begins at `address`.
  bool release(void* address);
  // Sets whether device memory is closed to the host from now on. @pre nothing is allocated
  void set_closed(bool closed) { open_ = closed ? 0 : 1; }
  void clear();

  // Returns true when any byte of the range lies in device memory.
  bool touches(const void* address, std::size_t bytes) const;
  // Returns true when the range lies in one allocation.
  bool holds(const void* address, std::size_t bytes) const;
  // Returns the device of an address in an allocation, and -1 for any other.
  int device_of(const void* address) const;
  std::size_t used_bytes(int device) const;
  std::size_t allocations() const { return allocations_.size(); }
  // Returns false when bytes next to an allocation were written.
  bool margins_are_untouched() const;

 private:
  friend class OpenMemory;
  struct Allocation {
    std::byte* begin = nullptr;  // the first page after the untouchable one
    std::byte* end = nullptr;
    std::byte* data = nullptr;
    std::size_t bytes = 0;
    int device = 0;
  };
  // Returns the first of `bytes` addresses that were never used. @throws std::bad_alloc
  std::byte* reserve(std::size_t bytes);
  // @throws std::bad_alloc
  void make_untouchable(std::byte* begin, const std::byte* end) const;
  // Protects all allocations with few system calls, because each call interrupts all cores.
  void protect_all(int protection) const;
  const Allocation* find(const void* address) const;

  std::map<const std::byte*, Allocation> allocations_;  // by `data`
  std::byte* space_ = nullptr;
  std::size_t used_bytes_ = 0;  // the addresses of space_ that were given out
  int open_ = 0;
};

// Device memory can be read and written while an OpenMemory lives. Several of them may nest.
class OpenMemory {
 public:
  explicit OpenMemory(DeviceMemory& memory);
  OpenMemory(const OpenMemory&) = delete;
  OpenMemory& operator=(const OpenMemory&) = delete;
  ~OpenMemory();

 private:
  DeviceMemory& memory_;
};

// Allocates ordinary memory, and knows where each block begins and ends.
class PinnedMemory {
 public:
  void* allocate(std::size_t bytes);
  bool release(void* address);
  void clear() { blocks_.clear(); }
  bool holds(const void* address, std::size_t bytes) const;
  std::size_t allocations() const { return blocks_.size(); }

 private:
  std::map<const std::byte*, std::vector<std::byte>> blocks_;
};

}  // namespace cnnplan::emulation
