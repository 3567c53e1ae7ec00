// Owns a block of memory, of the host or of another device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace cnnplan {

// Owns memory, and can be moved but not copied. A default block has no bytes.
class MemoryBlock {
 public:
  // A function of this type gives the memory back. It must not throw.
  using Free = void (*)(void* memory);

  MemoryBlock() = default;
  // Allocates page-aligned memory of the host. It is zeroed, so that it is touched.
  // @throws OutOfMemoryError
  explicit MemoryBlock(std::int64_t bytes);
  // Takes over memory that another allocator gave, and gives it back by `free`.
  MemoryBlock(void* memory, std::int64_t bytes, Free free)
      : data_(static_cast<std::byte*>(memory), {free}), size_bytes_(bytes) {}

  // Returns an address in memory of the device that the block was allocated on; null without bytes.
  std::byte* data() const { return data_.get(); }
  std::int64_t size_bytes() const { return size_bytes_; }

 private:
  struct Deleter {
    Free free;
    void operator()(std::byte* memory) const { free(memory); }
  };
  std::unique_ptr<std::byte, Deleter> data_;
  std::int64_t size_bytes_ = 0;
};

}  // namespace cnnplan
