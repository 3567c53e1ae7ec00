// Executes a transfer list: halo exchange, shuffle, and their reverse.
#pragma once

#include <cstdint>
#include <memory>

#include "executor/comm/communicator.hpp"
#include "planner/model/element.hpp"

namespace cnnplan {

// How one transfer runs. Boxes of `list` are global indices.
struct TransferSpec {
  void* source = nullptr;  // dense buffer that holds source_box
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
  // Blocks until this rank's part is done. Collective over the ranks of the list.
  void run();
  std::int64_t buffer_bytes() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace cnnplan
