// The two neighbours of a rank in a ring: chunks go to the right and come from the left, in order.
#pragma once

#include <cstddef>

namespace cnnplan {

// Memory of the link is handed out so that a chunk can be added and forwarded in one pass.
class RingLink {
 public:
  virtual ~RingLink() = default;
  virtual std::size_t chunk_bytes() const = 0;
  // How many chunks a rank may send before it receives one, without waiting for its neighbour.
  virtual int chunks_in_flight() const = 0;

  // Begins a pass over `bytes` of this rank.
  virtual void begin(std::size_t bytes) = 0;
  // True where a chunk of `bytes` is better written past the caches.
  virtual bool streams(std::size_t bytes) const = 0;
  // Announces the next chunk that will come, at most chunks_in_flight() ahead.
  virtual void expect(std::size_t bytes) = 0;
  // Memory for the next chunk to the right; waits until there is room.
  virtual std::byte* outgoing() = 0;
  // Sends what was written to outgoing().
  virtual void send(std::size_t bytes) = 0;
  // The next chunk from the left; waits until it is there.
  virtual const std::byte* incoming() = 0;
  // Gives the memory of incoming() back.
  virtual void release() = 0;
  // Ends the pass: waits until all that was sent has left this rank's memory.
  virtual void end() = 0;
};

}  // namespace cnnplan
