// Collectives on values in the memory of a device.
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

// What is summed or gathered, in place.
struct CollectiveSpec {
  CollectiveKind kind = CollectiveKind::allreduce;
  Device* device = nullptr;
  void* data = nullptr;  // of the device
  std::int64_t elements = 0;
  ElementType element = ElementType::fp32;                  // or fp64; of what is gathered, any
  AllreduceAlgorithm algorithm = AllreduceAlgorithm::ring;  // of halves, one that has them
  int ranks_per_node = 1;  // consecutive ones of the group; divides its size. For `hierarchical`
  // The library of `library`; null: MPI. Borrowed.
  const NcclCommunicator* nccl = nullptr;
};

// Built once per plan. On a host the values are summed where they are; from a GPU they travel
// through pinned memory, unless the algorithm is the library's and the library reads the GPU's.
class DeviceCollective {
 public:
  // Keeps the address of `spec` and a reference to `group`.
  DeviceCollective(const Communicator& group, const CollectiveSpec& spec);

  // A run is a start and a finish; the device may do other work between them. Both use the queue
  // that is selected, which must be the same. Collective over the group.
  void start();
  // Blocks until the values are known; they are then in the queue.
  void finish();
  void run() {
    start();
    finish();
  }

 private:
  bool is_by_nccl() const;
  Range own_shard() const;
  void start_nccl();
  void run_on_host(void* values);
  template <typename T>
  void run_on_host(std::span<T> values);
  void copy(const Range& elements, bool to_device);

  const Communicator& group_;
  CollectiveSpec spec_;
  MemoryBlock mirror_;  // of the host; empty: it is done where the values are
  std::optional<ExchangeAllreduce> exchange_;  // of algorithms that go in rounds
  std::unique_ptr<Event> ready_;
};

}  // namespace cnnplan
