// Executes a transfer list: halo exchange, shuffle, and their reverse.
#pragma once

#include <cstdint>
#include <memory>

#include "executor/backend/device.hpp"
#include "executor/comm/communicator.hpp"
#include "planner/tensor/element.hpp"

namespace cnnplan {

// How one transfer runs. Boxes of `list` are global indices.
struct TransferSpec {
  Device* device = nullptr;  // of the buffers
  void* source = nullptr;    // dense buffer that holds source_box
  Box source_box{};
  void* destination = nullptr;  // dense buffer that holds destination_box; may be `source`
  Box destination_box{};
  TransferList list{};
  ElementType element = ElementType::fp32;
  bool accumulate = false;  // add in the order of the list (bitwise repeatable), else overwrite
  bool zero_first = false;  // clear destination_box before
  int tag = 0;
};

// Built once per plan: staging buffers, contiguous pieces that need none, persistent requests.
class Transfer {
 public:
  // Keeps the addresses of `spec` and a reference to `communicator`.
  Transfer(const Communicator& communicator, const TransferSpec& spec);
  Transfer(Transfer&&) noexcept;
  Transfer& operator=(Transfer&&) noexcept;
  ~Transfer();
  // A run is a start and a finish; the device may do other work between them. Both use the queue
  // that is selected, which must be the same. Collective over the ranks of the list.
  void start();
  // Blocks until this rank has sent and received all; what is received is then in the queue.
  void finish();
  void run() {
    start();
    finish();
  }
  // Memory of the device that is kept for messages.
  std::int64_t buffer_bytes() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace cnnplan
