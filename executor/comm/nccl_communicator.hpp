// Sums over ranks by NCCL, on the GPUs themselves.
#pragma once

#include <cstdint>
#include <memory>

#include "executor/backend/device.hpp"
#include "executor/comm/communicator.hpp"

namespace cnnplan {

// True when this program was built with NCCL.
bool has_nccl();

// One GPU per rank: NCCL refuses ranks that share one.
class NcclCommunicator {
 public:
  // Collective over `group`. @throws EnvironmentError when this program was built without NCCL or
  // two ranks share a GPU, CommError
  explicit NcclCommunicator(const Communicator& group);
  NcclCommunicator(NcclCommunicator&&) noexcept;
  NcclCommunicator& operator=(NcclCommunicator&&) noexcept;
  ~NcclCommunicator();

  // Sums in place; put in the selected queue of `device`. fp32 or fp64. Collective.
  void allreduce(Device& device, void* data, std::int64_t elements, ElementType element) const;

 private:
  struct Handle;
  std::unique_ptr<Handle> handle_;
};

}  // namespace cnnplan
