// Holds scratch memory that all kernels of one lane share in turn: they run one after another in
// its queue.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "executor/backend/device.hpp"

namespace cnnplan::cudnn {

class Workspace {
 public:
  explicit Workspace(Device& device) : device_(&device) {}

  // Returns at least `bytes`. It never moves memory that was handed out, since graphs captured
  // earlier keep it.
  std::byte* at_least(std::int64_t bytes) {
    if (bytes == 0) return nullptr;
    if (blocks_.empty() || blocks_.back().size_bytes() < bytes) {
      blocks_.push_back(device_->allocate(bytes));
    }
    return blocks_.back().data();
  }

 private:
  Device* device_;
  std::vector<MemoryBlock> blocks_;  // each larger than the one before
};

}  // namespace cnnplan::cudnn
