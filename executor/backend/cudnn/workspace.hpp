// Holds scratch memory that all kernels of one lane share in turn: they run one after another in
// its queue.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "executor/backend/cudnn/kernels/kernel_call.hpp"
#include "executor/backend/device.hpp"

namespace cnnplan::cudnn {

// Owns memory of a device that grows as kernels ask for more, and counters of blocks that arrived.
class Workspace {
 public:
  explicit Workspace(Device& device) : device_(&device) {}

  // Returns the counters of SumScratch (kernels/kernel_call.hpp). They are 0 at first.
  // @throws as Device::allocate
  std::uint32_t* arrived() {
    constexpr std::int64_t bytes = arrival_counters * sizeof(std::uint32_t);
    if (arrived_.size_bytes() == 0) arrived_ = device_->allocate(bytes);
    return reinterpret_cast<std::uint32_t*>(arrived_.data());
  }

  // Returns memory of the device with at least `bytes`, or null for 0 bytes. It stays as long as
  // this object, since graphs captured earlier keep it. @throws as Device::allocate
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
  MemoryBlock arrived_;
};

}  // namespace cnnplan::cudnn
