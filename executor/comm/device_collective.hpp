// Sums or gathers values over ranks where the values lie in the memory of a device.
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

// Describes the values that a collective sums or gathers in place.
struct CollectiveSpec {
  CollectiveKind kind = CollectiveKind::allreduce;
  Device* device = nullptr;
  void* data = nullptr;  // memory of the device
  std::int64_t elements = 0;
  ElementType element = ElementType::fp32;  // sums are fp32 or fp64; an allgather takes any
  AllreduceAlgorithm algorithm = AllreduceAlgorithm::ring;  // for a half, one that has halves
  int ranks_per_node = 1;  // consecutive ranks of the group, for `hierarchical`; divides its size
  // The algorithm `library` uses this NCCL communicator, or MPI if it is null. The pointer is
  // borrowed.
  const NcclCommunicator* nccl = nullptr;
};

// Runs one collective on device memory, as often as it is asked to. On a host it works on the
// values in place. From a GPU they go through pinned memory, except with NCCL, and except for a
// whole allreduce of an MPI `library` that takes addresses of the GPU.
class DeviceCollective {
 public:
  // The object keeps a reference to `group` and the addresses in `spec`. It is not collective.
  // @throws as Device::allocate_staging(); std::logic_error for sums of 16-bit elements
  DeviceCollective(const Communicator& group, const CollectiveSpec& spec);

  // A run is a start and a finish, and the device may do other work between them. Both calls use
  // the selected queue, which must not change between them. Both are collective over the group.
  void start();
  // False with NCCL, where finish() has nothing to do and need not be called.
  bool has_finish() const { return !is_by_nccl(); }
  // Blocks until the result is known, except with NCCL. Later work in the selected queue sees the
  // result in either case.
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
  MemoryBlock mirror_;  // pinned memory of the host; empty if values stay in place
  std::optional<ExchangeAllreduce> exchange_;  // for algorithms that go in rounds
  std::unique_ptr<Event> ready_;
};

}  // namespace cnnplan
