// Sums and gathers values over ranks with NCCL, in the memory of the GPUs.
#pragma once

#include <cstdint>
#include <memory>

#include "executor/backend/device.hpp"
#include "executor/comm/communicator.hpp"

namespace cnnplan {

// Returns true when this program was built with NCCL.
bool has_nccl();

// Asks all communicators of this process whether work under way has failed, and reports the first
// error to own_record(). It does not block. Any thread may call it. It does nothing without NCCL.
void look_for_nccl_errors();

// Ends all communicators of this process, and the work of NCCL that is under way, whose results are
// lost. Call it after an error, because other ranks may never come to that work. No communicator
// may be used afterwards, except that it may be destroyed. It does nothing without NCCL.
void abort_nccl();

// Views the values that a collective works on.
struct NcclValues {
  void* data = nullptr;  // memory of the GPU
  std::int64_t elements = 0;
  ElementType element = ElementType::fp32;
};

// Owns a communicator of NCCL. Each rank needs a GPU of its own, because NCCL refuses ranks that
// share one.
class NcclCommunicator {
 public:
  // Makes the communicator of the ranks of `group`. This call is collective over `group`, and
  // blocks.
  // @pre the current device of this thread is the GPU of this rank
  // @throws EnvironmentError when this program was built without NCCL, or NCCL refuses the ranks,
  // as it does when two of them share a GPU; CommError
  explicit NcclCommunicator(const Communicator& group);
  NcclCommunicator(NcclCommunicator&&) noexcept;
  NcclCommunicator& operator=(NcclCommunicator&&) noexcept;
  // The destructor is collective and blocks, unless it runs because of an exception or after
  // abort_nccl().
  ~NcclCommunicator();

  // These calls sum or gather `values` in place, as work of the selected queue of `device`. They
  // are collective, and return before the values are known. In reduce_scatter and allgather, the
  // shards of the ranks are equal parts, in the order of ranks. After reduce_scatter, only this
  // rank's shard is valid.
  // @pre `device` is the GPU of the constructor, and `values` lie in its memory; sums are fp32 or
  // fp64, while an allgather takes any element; for shards, the number of ranks divides the
  // elements
  // @throws CommError after abort_nccl(); own_record() then has the fault
  void allreduce(Device& device, const NcclValues& values) const;
  void reduce_scatter(Device& device, const NcclValues& values) const;
  void allgather(Device& device, const NcclValues& values) const;

 private:
  struct Handle;
  std::unique_ptr<Handle> handle_;
};

}  // namespace cnnplan
