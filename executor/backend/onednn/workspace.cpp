// Keeps a stack in few blocks, and in one as soon as all of it has been used once. Memory that a
// kernel has is never moved.
#include "executor/backend/onednn/workspace.hpp"

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "executor/backend/memory_block.hpp"

namespace cnnplan::onednn {
namespace {

struct Block {
  explicit Block(std::size_t bytes) : memory(bytes) {}
  std::size_t room() const { return memory.size_bytes() - used; }

  MemoryBlock memory;
  std::size_t used = 0;
};

class Stack {
 public:
  std::byte* push(std::size_t bytes) {
    if (used_ == 0) reserve(std::max(bytes, most_));
    if (blocks_.back().room() < bytes) blocks_.emplace_back(bytes);
    Block& block = blocks_.back();
    std::byte* const data = block.memory.data() + block.used;
    block.used += bytes;
    used_ += bytes;
    most_ = std::max(most_, used_);
    return data;
  }

  void pop(std::size_t bytes) noexcept {
    blocks_.back().used -= bytes;
    used_ -= bytes;
    if (blocks_.back().used == 0 && blocks_.size() > 1) blocks_.pop_back();
  }

  void reserve(std::size_t bytes) {
    if (used_ > 0) throw std::logic_error("a workspace is there");
    if (!blocks_.empty() && blocks_.back().room() >= bytes) return;
    blocks_.clear();
    blocks_.emplace_back(bytes);
  }

 private:
  std::vector<Block> blocks_;
  std::size_t used_ = 0;  // of all blocks
  std::size_t most_ = 0;  // that was ever used
};

Stack& stack_of_thread() {
  thread_local Stack stack;
  return stack;
}

}  // namespace

Workspace::Workspace(std::size_t bytes)
    : bytes_(whole_lines(bytes)), data_(bytes == 0 ? nullptr : stack_of_thread().push(bytes_)) {}

Workspace::~Workspace() {
  if (data_ != nullptr) stack_of_thread().pop(bytes_);
}

void Workspace::reserve(std::size_t bytes) {
  if (bytes > 0) stack_of_thread().reserve(whole_lines(bytes));
}

}  // namespace cnnplan::onednn
