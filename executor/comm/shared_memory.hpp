// Maps a block of memory into all ranks of a node.
#pragma once

#include <cstddef>
#include <memory>

#include "executor/comm/communicator.hpp"

namespace cnnplan {

// Owns this rank's mapping of the block, which the destructor unmaps. The name of the block
// disappears as soon as all ranks have mapped it, so a rank that dies leaves nothing in the file
// system.
class SharedMemory {
 public:
  // Returns a block of `bytes`, or null on every rank when one of them is on another node or cannot
  // map the block. This call is collective and blocks.
  static std::unique_ptr<SharedMemory> create(const Communicator& communicator, std::size_t bytes);
  ~SharedMemory();
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  // Returns the address of the block in this process. Ranks see each other's writes.
  std::byte* data() const { return data_; }

 private:
  SharedMemory(std::byte* data, std::size_t bytes) : data_(data), bytes_(bytes) {}
  std::byte* data_;
  std::size_t bytes_;
};

}  // namespace cnnplan
