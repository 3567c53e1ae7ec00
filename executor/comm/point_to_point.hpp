// Messages between two ranks, as the link profiler times them.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "executor/comm/communicator.hpp"

namespace cnnplan {

// Both block. @throws CommError, also when a message is larger than one can be
void send(const Communicator& communicator, std::span<const std::byte> bytes, int peer);
void receive(const Communicator& communicator, std::span<std::byte> bytes, int peer);

// A send to and a receive from the same peer, under way until wait() returns. The memory must stay.
class PairExchange {
 public:
  PairExchange(const Communicator& communicator,
               std::span<const std::byte> sent,
               std::span<std::byte> received,
               int peer);
  PairExchange(PairExchange&&) noexcept;
  PairExchange& operator=(PairExchange&&) noexcept;
  ~PairExchange();
  void wait();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace cnnplan
