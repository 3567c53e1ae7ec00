// Owner of a page-aligned block of memory that is touched when it is made.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>

namespace cnnplan {

class MemoryBlock {
 public:
  MemoryBlock() = default;
  // Zeroed. @throws std::bad_alloc
  explicit MemoryBlock(std::int64_t bytes);

  std::byte* data() const { return data_.get(); }
  std::int64_t size_bytes() const { return size_bytes_; }

 private:
  struct Free {
    void operator()(std::byte* memory) const { std::free(memory); }
  };
  std::unique_ptr<std::byte, Free> data_;
  std::int64_t size_bytes_ = 0;
};

}  // namespace cnnplan
