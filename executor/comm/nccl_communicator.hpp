// Sums over ranks by NCCL, on the GPUs themselves.
#pragma once

#include <cstdint>
#include <memory>

#include "executor/backend/device.hpp"
#include "executor/comm/communicator.hpp"

namespace cnnplan {

// True when this program was built with NCCL.
bool has_nccl();

struct NcclValues {
  void* data = nullptr;  // of the GPU
  std::int64_t elements = 0;
  ElementType element = ElementType::fp32;
};

// One GPU per rank: NCCL refuses ranks that share one.
class NcclCommunicator {
 public:
  // Collective over `group`. @throws EnvironmentError when this program was built without NCCL or
  // two ranks share a GPU, CommError
  explicit NcclCommunicator(const Communicator& group);
  NcclCommunicator(NcclCommunicator&&) noexcept;
  NcclCommunicator& operator=(NcclCommunicator&&) noexcept;
  ~NcclCommunicator();

  // In place; put in the selected queue of `device`. Of halves, shards are equal parts: the
  // elements are a multiple of the ranks. Sums are of fp32 or fp64. Collective.
  void allreduce(Device& device, const NcclValues& values) const;
  void reduce_scatter(Device& device, const NcclValues& values) const;
  void allgather(Device& device, const NcclValues& values) const;

 private:
  struct Handle;
  std::unique_ptr<Handle> handle_;
};

}  // namespace cnnplan
