// Connects a rank with its two ring neighbours: chunks come from the left and go to the right, in
// order.
#pragma once

#include <cstddef>

#include "executor/comm/communicator.hpp"

namespace cnnplan {

// Return the ranks of the two neighbours of this rank in the ring of all ranks of `communicator`.
inline int left_of(const Communicator& communicator) {
  return (communicator.rank() + communicator.size() - 1) % communicator.size();
}
inline int right_of(const Communicator& communicator) {
  return (communicator.rank() + 1) % communicator.size();
}

// Sends chunks to the right and receives chunks from the left. A link hands out its own memory, so
// that a chunk can be added and forwarded in one go. The calls of one collective are between
// begin() and end(), and are called a pass. Calls throw CommError where MPI fails. If a neighbour
// is lost, they wait, and the watchdog ends the program.
class RingLink {
 public:
  virtual ~RingLink() = default;
  // Returns the largest size of a chunk.
  virtual std::size_t chunk_bytes() const = 0;
  // Returns how many chunks a rank may send before it receives one, without waiting for its
  // neighbour.
  virtual int chunks_in_flight() const = 0;

  // Begins a pass in which this rank has `bytes` of values.
  virtual void begin(std::size_t bytes) = 0;
  // Returns true if a chunk of `bytes` should be written by stream() (sum_kernels.hpp), which
  // bypasses the caches.
  virtual bool streams(std::size_t bytes) const = 0;
  // Announces the next chunk that will arrive, at most chunks_in_flight() ahead.
  virtual void expect(std::size_t bytes) = 0;
  // Returns memory for the next chunk to the right, and waits until there is room.
  virtual std::byte* outgoing() = 0;
  // Sends the chunk that was written to outgoing().
  virtual void send(std::size_t bytes) = 0;
  // Returns the next chunk from the left, and waits until it is there.
  virtual const std::byte* incoming() = 0;
  // Gives the memory of incoming() back to the link.
  virtual void release() = 0;
  // Ends the pass. A link may wait here until the chunks that it sent have left this rank's memory.
  virtual void end() = 0;
};

}  // namespace cnnplan
