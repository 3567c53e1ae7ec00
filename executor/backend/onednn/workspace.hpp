// Lends memory to the kernels of a thread, one after the other.
#pragma once

#include <cstddef>

#include "planner/base/memory_units.hpp"

namespace cnnplan::onednn {

// Returns the bytes of the cache lines that `bytes` take, from the start of a line on.
constexpr std::size_t whole_lines(std::size_t bytes) {
  return (bytes + cache_line_bytes - 1) / cache_line_bytes * cache_line_bytes;
}

// A kernel owns its workspace while it runs. The bytes are undefined at first. Workspaces of a
// thread end in the reverse order in which they began. The thread keeps the memory for later
// workspaces.
class Workspace {
 public:
  // Takes memory of the calling thread. @throws OutOfMemoryError
  explicit Workspace(std::size_t bytes);
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;
  ~Workspace();
  std::byte* data() const { return data_; }  // the start of a cache line; null for 0 bytes

  // Allocates this many bytes for the thread in advance, so that no kernel waits for them.
  // @pre the thread has no workspace @throws OutOfMemoryError, std::logic_error
  static void reserve(std::size_t bytes);

 private:
  std::size_t bytes_;
  std::byte* data_;
};

}  // namespace cnnplan::onednn
