// Executes a transfer list: a halo exchange, a shuffle, or the reverse of either for error signals.
#pragma once

#include <cstdint>
#include <memory>

#include "executor/backend/device.hpp"
#include "executor/comm/communicator.hpp"
#include "planner/tensor/element.hpp"

namespace cnnplan {

// Says how one transfer runs. The boxes of `list` are global indices.
struct TransferSpec {
  Device* device = nullptr;  // the device that holds the buffers
  void* source = nullptr;    // dense buffer that holds source_box
  Box source_box{};
  void* destination = nullptr;  // dense buffer that holds destination_box; may be `source`
  Box destination_box{};
  TransferList list{};
  ElementType element = ElementType::fp32;
  bool accumulate = false;  // add in the order of the list (bitwise repeatable), else overwrite
  bool zero_first = false;  // clear destination_box first
  int tag = 0;  // equal on all ranks; from 0 to below first_reserved_tag (mpi_handle.hpp)
};

// Runs one transfer of a schedule, for which it is built once. It holds staging buffers and
// persistent requests of MPI. A single contiguous piece for a peer needs no staging, unless the
// receiver adds it.
class Transfer {
 public:
  // The object keeps the addresses in `spec`; `communicator` must outlive it. It is not collective.
  // @throws as Device::allocate() and allocate_staging(); CommError, also where a message has more
  // than 2^31 - 1 elements. std::logic_error is thrown for a wrong tag, and where the transfer
  // would clear what it sends, or add a block to itself. It is also thrown where the pieces that a
  // rank sends to itself are not those that it receives.
  Transfer(const Communicator& communicator, const TransferSpec& spec);
  Transfer(Transfer&&) noexcept;
  Transfer& operator=(Transfer&&) noexcept;
  ~Transfer();
  // A run is a start and a finish, and the device may do other work between them. Both calls use
  // the selected queue, which must not change between them. Both are collective over the ranks of
  // the list.
  void start();
  // Blocks until this rank has sent and received everything; later work in the queue sees what was
  // received.
  void finish();
  void run() {
    start();
    finish();
  }
  // Returns the bytes of device memory that were allocated for staged messages.
  std::int64_t buffer_bytes() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace cnnplan
