// Sends messages between two ranks, so that the link profiler can time them.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "executor/comm/communicator.hpp"

namespace cnnplan {

// Both calls block until `bytes` may be used again. Messages between two ranks come in the order of
// sending, with equal sizes on both. @throws CommError, also when one message cannot carry the
// bytes
void send(const Communicator& communicator, std::span<const std::byte> bytes, int peer);
void receive(const Communicator& communicator, std::span<std::byte> bytes, int peer);

// Holds a send to and a receive from one peer, both under way until wait() returns. Until then the
// memory must stay valid, and so must this object. @throws CommError
class PairExchange {
 public:
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
