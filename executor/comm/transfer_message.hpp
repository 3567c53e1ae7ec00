// All pieces that one rank sends to or receives from one peer, as one message.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "executor/backend/box_copy.hpp"
#include "planner/model/transfer.hpp"

namespace cnnplan {

// A dense buffer that holds `box`.
struct BoxBuffer {
  void* data = nullptr;
  Box box;
  ElementType element = ElementType::fp32;
};
TensorView view_of(const BoxBuffer& buffer, const Box& inner);

// Pieces one after the other, in the order of the list. A single piece that is contiguous in the
// buffer is the message itself: nothing is staged or copied.
class TransferMessage {
 public:
  // `in_place` allows the message to be memory of the buffer.
  TransferMessage(int peer, const std::vector<Box>& boxes, const BoxBuffer& buffer, bool in_place);

  int peer() const { return peer_; }
  void* data() const { return data_; }
  std::int64_t elements() const { return elements_; }
  std::int64_t staging_bytes() const { return staging_bytes_; }
  // Where each box lies in the message, when it is staged; empty when it is in place.
  const std::vector<TensorView>& staged() const { return staged_; }

 private:
  void stage(const std::vector<Box>& boxes, ElementType element);

  int peer_;
  void* data_ = nullptr;
  std::int64_t elements_ = 0;
  std::int64_t staging_bytes_ = 0;
  std::unique_ptr<std::byte[]> staging_;
  std::vector<TensorView> staged_;
};

}  // namespace cnnplan
