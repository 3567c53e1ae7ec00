// Ring allreduce (Patarasuk, Yuan 2009): a reduce-scatter ring, then an allgather ring.
//
//   steps  2(p-1): p-1 that reduce, p-1 that gather
//   bytes  n/p sent and received by every rank in every step, 2(p-1)/p n in all
//   adds   (p-1)/p n
//
// The values are cut into segments, a segment into p blocks, a block into chunks that stay in
// cache. In step s rank r forwards block r - s: it receives the block from the left, adds its own
// values (in the first p-1 steps) or takes it as the result, and sends it to the right. The sum of
// a block is formed along the ring from the block's own rank on and then copied, so every rank has
// the same bits, and the same every time.
#pragma once

#include <cstdint>
#include <span>

#include "executor/comm/ring_link.hpp"

namespace cnnplan {

// What a rank does with one chunk in one step. Chunks without elements are not sent at all.
struct RingHop {
  std::int64_t begin = 0;  // first element
  std::int64_t count = 0;
  bool receives = false;
  bool adds = false;  // else takes what it receives
  bool sends = false;
  auto operator<=>(const RingHop&) const = default;
};

struct RingShape {
  std::int64_t elements = 0;
  int ranks = 1;
  std::int64_t chunk_elements = 1;
  int chunks_per_block = 1;
};

// The hops of one rank, in order: by segment, then step, then chunk.
class RingHops {
 public:
  RingHops(const RingShape& shape, int rank);

  std::int64_t size() const { return size_; }
  // @pre 0 <= index < size()
  RingHop operator[](std::int64_t index) const;

 private:
  RingShape shape_;
  int rank_;
  std::int64_t segment_elements_;
  std::int64_t hops_per_segment_;
  std::int64_t size_;
};

// Sums in place over the ranks of the ring. Collective, blocking.
void ring_allreduce(std::span<float> values, RingLink& link, int rank, int ranks);
void ring_allreduce(std::span<double> values, RingLink& link, int rank, int ranks);

}  // namespace cnnplan
