// A block of memory that all ranks of a node map.
#pragma once

#include <cstddef>
#include <memory>

#include "executor/comm/communicator.hpp"

namespace cnnplan {

// Unmaps in the destructor; the name is gone as soon as all ranks have mapped it, so that nothing
// is left behind when a rank dies.
class SharedMemory {
 public:
  // Collective. Null on every rank when one of them is on another node or cannot map the block.
  static std::unique_ptr<SharedMemory> create(const Communicator& communicator, std::size_t bytes);
  ~SharedMemory();
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  std::byte* data() const { return data_; }

 private:
  SharedMemory(std::byte* data, std::size_t bytes) : data_(data), bytes_(bytes) {}
  std::byte* data_;
  std::size_t bytes_;
};

}  // namespace cnnplan
