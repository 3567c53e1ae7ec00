// Sends messages between two ranks, so that the link profiler can time them.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "executor/comm/communicator.hpp"

namespace cnnplan {

// Both calls block until `bytes` may be used again. `peer` is a rank of the communicator. Messages
// between two ranks arrive in the order of sending, and sender and receiver pass equal sizes.
// @throws CommError, also when one message cannot carry the bytes
void send(const Communicator& communicator, std::span<const std::byte> bytes, int peer);
void receive(const Communicator& communicator, std::span<std::byte> bytes, int peer);

// Holds a send to and a receive from one peer, both under way until wait() returns. Until then the
// memory must stay valid, and so must this object. @throws CommError
class PairExchange {
 public:
  // Begins to send `sent` to `peer` and to receive `received` from it.
  PairExchange(const Communicator& communicator,
               std::span<const std::byte> sent,
               std::span<std::byte> received,
               int peer);
  PairExchange(PairExchange&&) noexcept;
  PairExchange& operator=(PairExchange&&) noexcept;
  ~PairExchange();
  // Blocks until both messages are done. Call it once.
  void wait();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace cnnplan
