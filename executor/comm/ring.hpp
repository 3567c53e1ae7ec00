// Runs the ring allreduce (Patarasuk, Yuan 2009): a reduce-scatter ring, then an allgather ring.
// Each half also runs by itself.
//
//   sends  2(p-1) by every rank: p-1 that reduce, p-1 that gather
//   bytes  n/p in every send, 2(p-1)/p n in all
//   adds   (p-1)/p n
//
// The values are cut into segments, a segment into p blocks, a block into chunks that stay in
// cache. In step s, from 0 to 2p-2, rank r handles block r - s (modulo p). It receives the block
// from the left, except in step 0. Up to step p-1 it adds its own values, and later it takes the
// block as the result. Then it sends the block to the right, except in the last step. The sum of a
// block is formed along the ring from the block's own rank on and then copied. Therefore all ranks
// have identical bits, and every run repeats them.
//
// When the reduce-scatter runs alone, it begins one block earlier, so that rank r ends with block
// r. The blocks of all segments that end with a rank are contiguous: its shard (shard.hpp).
#pragma once

#include <cstdint>
#include <span>

#include "executor/comm/ring_link.hpp"
#include "planner/tensor/box.hpp"
#include "planner/tensor/collective.hpp"

namespace cnnplan {

// Says what a rank does with one chunk in one step. Chunks without elements are not sent.
struct RingHop {
  std::int64_t begin = 0;  // first element
  std::int64_t count = 0;
  bool receives = false;
  bool adds = false;  // adds what it receives to its values, else overwrites them
  bool sends = false;
  auto operator<=>(const RingHop&) const = default;
};

// Describes a collective on the ring. A segment has up to chunks_per_block chunks for each block.
struct RingShape {
  CollectiveKind kind = CollectiveKind::allreduce;
  std::int64_t elements = 0;        // values of each rank
  int ranks = 1;                    // of the ring
  std::int64_t chunk_elements = 1;  // in a chunk at most
  int chunks_per_block = 1;         // at most
};

// Lists the hops of one rank, ordered by segment, then by step, then by chunk.
class RingHops {
 public:
  RingHops(const RingShape& shape, int rank);

  std::int64_t size() const { return size_; }
  // Returns the hop of this number. @pre 0 <= index < size()
  RingHop operator[](std::int64_t index) const;

 private:
  int steps() const;
  Range block_of(std::int64_t segment, int block) const;

  RingShape shape_;
  int rank_;
  std::int64_t segment_elements_;
  std::int64_t hops_per_segment_;
  std::int64_t size_;
};

// Runs a collective in place. An allreduce leaves the sums on every rank. A reduce_scatter leaves
// only this rank's shard valid. An allgather does what ring_allgather() does. `rank` and `ranks`
// are those of the link's communicator, on whose ranks these calls are collective. They block.
void ring_collective(
    CollectiveKind kind, std::span<float> values, RingLink& link, int rank, int ranks);
void ring_collective(
    CollectiveKind kind, std::span<double> values, RingLink& link, int rank, int ranks);
// Gathers in place: every rank passes an array in which its shard is valid, and gets the shards of
// all ranks. These calls are collective and block.
void ring_allgather(std::span<float> values, RingLink& link, int rank, int ranks);
void ring_allgather(std::span<double> values, RingLink& link, int rank, int ranks);
void ring_allgather(std::span<std::uint16_t> values, RingLink& link, int rank, int ranks);

}  // namespace cnnplan
