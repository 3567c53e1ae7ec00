// Lends memory between margins of NaN and pages that nobody may touch, so that stray accesses show.
#pragma once

#include <cstddef>
#include <span>

namespace cnnplan::test {

// All bytes begin as 0xff, which is NaN in every format of activations and parameters. A read
// outside makes a result NaN where it counts. A write outside changes a margin, or ends the
// process where it misses the margin.
class GuardedMemory {
 public:
  // The bytes begin `offset` bytes after the start of a page. @pre 0 <= offset < 4096
  GuardedMemory(std::size_t bytes, std::size_t offset);
  GuardedMemory(const GuardedMemory&) = delete;
  GuardedMemory& operator=(const GuardedMemory&) = delete;
  ~GuardedMemory();

  std::byte* data() const { return bytes_.data(); }
  std::span<std::byte> bytes() const { return bytes_; }
  bool margins_are_untouched() const;

 private:
  std::span<std::byte> mapped_;  // with the closed pages
  std::span<std::byte> open_;
  std::span<std::byte> bytes_;
};

}  // namespace cnnplan::test
