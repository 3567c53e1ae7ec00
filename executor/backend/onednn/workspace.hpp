// Memory that the kernels of a thread take turns in.
#pragma once

#include <cstddef>

namespace cnnplan::onednn {

// Rounded up to cache lines, which are as long as the widest vector.
constexpr std::size_t whole_lines(std::size_t bytes) {
  constexpr std::size_t line = 64;
  return (bytes + line - 1) / line * line;
}

// What a kernel has of it while it runs: from here on, undefined before. One that begins while
// another is there lies behind it, and ends first. Belongs to the thread that made it.
class Workspace {
 public:
  // @throws std::bad_alloc
  explicit Workspace(std::size_t bytes);
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;
  ~Workspace();
  std::byte* data() const { return data_; }  // begins a cache line

  // Has so many bytes ready for this thread, so that no kernel waits for them. Not while a
  // workspace is there. @throws std::bad_alloc
  static void reserve(std::size_t bytes);

 private:
  std::size_t bytes_;
  std::byte* data_;
};

}  // namespace cnnplan::onednn
