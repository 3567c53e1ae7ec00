// Device memory that the host cannot touch, and page-locked host memory.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <vector>

namespace cnnplan::emulation {

// Allocations lie one behind the other in one address space, and a page that nothing may touch
// precedes each of them. All of it is closed except while an OpenMemory lives. Freed addresses are
// not used again before clear().
class DeviceMemory {
 public:
  DeviceMemory() = default;
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;
  ~DeviceMemory() { clear(); }

  // The bytes are 0xff: not-a-number in every floating-point type. They are aligned to 256 bytes,
  // no better. @throws std::bad_alloc when the system gives no memory
  void* allocate(std::size_t bytes, int device);
  // Returns false when `address` is not the begin of an allocation.
  bool release(void* address);
  // Says whether the host may not touch it from now on. @pre nothing is allocated
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
    std::byte* begin = nullptr;  // the first page behind the untouchable one
    std::byte* end = nullptr;
    std::byte* data = nullptr;
    std::size_t bytes = 0;
    int device = 0;
  };
  // Returns the begin of addresses that were never used. @throws std::bad_alloc
  std::byte* reserve(std::size_t bytes);
  // @throws std::bad_alloc
  void make_untouchable(std::byte* begin, const std::byte* end) const;
  // Needs few system calls, because each of them interrupts all cores.
  void protect_all(int protection) const;
  const Allocation* find(const void* address) const;

  std::map<const std::byte*, Allocation> allocations_;  // by `data`
  std::byte* space_ = nullptr;
  std::size_t used_bytes_ = 0;  // the addresses of space_ that were given out
  int open_ = 0;
};

// Device memory can be read and written while one of these lives; they nest.
class OpenMemory {
 public:
  explicit OpenMemory(DeviceMemory& memory);
  OpenMemory(const OpenMemory&) = delete;
  OpenMemory& operator=(const OpenMemory&) = delete;
  ~OpenMemory();

 private:
  DeviceMemory& memory_;
};

// Ordinary memory, of which it is known where it begins and ends.
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
