// Device memory that the host cannot touch, and page-locked host memory.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <vector>

namespace cnnplan::emulation {

// Each allocation has mappings of its own between pages that nothing may touch. All of it is closed
// but while an OpenMemory lives. Freed addresses stay closed and are not used again.
class DeviceMemory {
 public:
  DeviceMemory() = default;
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;
  ~DeviceMemory() { clear(); }

  // Filled with 0xff: not-a-number in every floating-point type. Aligned to 256 bytes, no better.
  void* allocate(std::size_t bytes, int device);
  // False when `address` is not the begin of an allocation.
  bool release(void* address);
  // Closed to the host from now on, or, for speed, not. @pre nothing is allocated
  void set_closed(bool closed) { open_ = closed ? 0 : 1; }
  void clear();

  // True when any byte of the range lies in device memory.
  bool touches(const void* address, std::size_t bytes) const;
  // True when the range lies in one allocation.
  bool holds(const void* address, std::size_t bytes) const;
  // Of an address in an allocation; -1 otherwise.
  int device_of(const void* address) const;
  std::size_t used_bytes(int device) const;
  std::size_t allocations() const { return allocations_.size(); }
  // False when bytes next to an allocation were written.
  bool margins_are_untouched() const;

 private:
  friend class OpenMemory;
  struct Allocation {
    std::byte* mapping = nullptr;
    std::size_t mapped_bytes = 0;  // with the closed page at either end
    std::byte* data = nullptr;
    std::size_t bytes = 0;
    int device = 0;

    std::byte* begin() const;  // of the pages between the closed ones
    std::byte* end() const;
  };
  void protect(const Allocation& allocation, int protection) const;
  void protect_all(int protection) const;
  const Allocation* find(const void* address) const;

  std::map<const std::byte*, Allocation> allocations_;  // by `data`
  std::vector<Allocation> freed_;
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
