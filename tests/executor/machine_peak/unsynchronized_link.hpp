// Measures how long the copies and adds of a ring take at least, by a link in shared memory on
// which no rank waits.
#pragma once

#include <cstddef>
#include <memory>

#include "executor/comm/ring_link.hpp"
#include "executor/comm/shared_memory.hpp"

namespace cnnplan {

// Sends chunks to memory of this rank, and receives whatever the memory of its left neighbour
// holds. The memory is as large as that of a SharedLink.
class UnsynchronizedLink final : public RingLink {
 public:
  // Is collective. With `streamed`, chunks are written past the caches. @throws std::runtime_error
  // if the ranks share no memory
  UnsynchronizedLink(const Communicator& communicator, bool streamed);

  std::size_t chunk_bytes() const override { return chunk; }
  int chunks_in_flight() const override { return slots / 2; }
  void begin(std::size_t) override {}
  bool streams(std::size_t) const override { return streamed_; }
  void expect(std::size_t) override {}
  std::byte* outgoing() override { return sent_ + next_sent_ * chunk; }
  void send(std::size_t) override { next_sent_ = (next_sent_ + 1) % slots; }
  const std::byte* incoming() override { return received_ + next_received_ * chunk; }
  void release() override { next_received_ = (next_received_ + 1) % slots; }
  void end() override {}

 private:
  static constexpr std::size_t chunk = std::size_t{64} << 10;
  static constexpr std::size_t slots = 8;
  std::unique_ptr<SharedMemory> memory_;
  bool streamed_;
  std::byte* sent_ = nullptr;
  const std::byte* received_ = nullptr;
  std::size_t next_sent_ = 0;
  std::size_t next_received_ = 0;
};

}  // namespace cnnplan
