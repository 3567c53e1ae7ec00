// Allreduce of values in the memory of a device.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "executor/backend/device.hpp"
#include "executor/comm/communicator.hpp"
#include "executor/comm/exchange_allreduce.hpp"
#include "executor/comm/nccl_communicator.hpp"

namespace cnnplan {

// What is summed, in place.
struct AllreduceSpec {
  Device* device = nullptr;
  void* data = nullptr;  // of the device
  std::int64_t elements = 0;
  ElementType element = ElementType::fp32;  // or fp64
  AllreduceAlgorithm algorithm = AllreduceAlgorithm::ring;
  int ranks_per_node = 1;  // consecutive ones of the group; divides its size. For `hierarchical`
  // The library of `library`; null: MPI. Borrowed.
  const NcclCommunicator* nccl = nullptr;
};

// Built once per plan. On a host the values are summed where they are; from a GPU they travel
// through pinned memory, unless the algorithm is the library's and the library reads the GPU's.
class DeviceAllreduce {
 public:
  // Keeps the address of `spec` and a reference to `group`.
  DeviceAllreduce(const Communicator& group, const AllreduceSpec& spec);

  // A run is a start and a finish; the device may do other work between them. Both use the queue
  // that is selected, which must be the same. Collective over the group.
  void start();
  // Blocks until the sums are known; they are then in the queue.
  void finish();
  void run() {
    start();
    finish();
  }

 private:
  bool is_by_nccl() const;
  void sum(void* values);
  template <typename T>
  void sum(std::span<T> values);

  const Communicator& group_;
  AllreduceSpec spec_;
  MemoryBlock mirror_;  // of the host; empty: the values are summed where they are
  std::optional<ExchangeAllreduce> exchange_;  // of algorithms that go in rounds
  std::unique_ptr<Event> ready_;
};

}  // namespace cnnplan
