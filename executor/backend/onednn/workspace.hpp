// Memory that the kernels of a thread take turns in.
#pragma once

#include <cstddef>

namespace cnnplan::onednn {

// Rounded up to cache lines, which are as long as the widest vector.
constexpr std::size_t whole_lines(std::size_t bytes) {
  constexpr std::size_t line = 64;
  return (bytes + line - 1) / line * line;
}

// What a kernel has of it while it runs; its bytes are undefined at first. Workspaces of a thread
// end in the reverse order in which they began. The memory stays with the thread, for the next
// ones.
class Workspace {
 public:
  // @throws std::bad_alloc
  explicit Workspace(std::size_t bytes);
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;
  ~Workspace();
  std::byte* data() const { return data_; }  // begins a cache line

  // Has so many bytes ready for this thread, so that no kernel waits for them. @pre no workspace is
  // there. @throws std::bad_alloc, std::logic_error
  static void reserve(std::size_t bytes);

 private:
  std::size_t bytes_;
  std::byte* data_;
};

}  // namespace cnnplan::onednn
