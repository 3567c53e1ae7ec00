// Computes the time of the collectives that the executor runs, on a platform.
#pragma once

#include <cstddef>

#include "planner/cost/group_links.hpp"
#include "planner/platform/platform.hpp"
#include "planner/tensor/collective.hpp"

namespace cnnplan {

// Returns the time of an allreduce of `bytes` over a group whose ranks are ready. It assumes that
// all other groups run an equal allreduce at the same time and share the links. A single rank takes
// no time, and neither do 0 bytes. If the platform has measured times of this algorithm for an
// equal number of ranks in an equal place (GroupPlace), they are used. Otherwise, the time is the
// sum of the rounds of planner/platform/exchange_rounds.hpp:
//
// - `ring`: every round is as slow as the slowest link of the ring. A round takes its measured time
//   (`ring_segments` of the level), if there is one. Else it takes messages of at most one chunk
//   (64 KiB on the innermost level, 256 KiB beyond), and the additions are spread evenly over all
//   rounds.
// - `recursive_doubling`, `rabenseifner`, `hierarchical`: each round takes the time of its slowest
//   message, which shares its port with the messages that take it at once. Added bytes cost gamma.
// - `library`: the fastest of recursive doubling, Rabenseifner's algorithm and a ring without
//   measured rounds.
//
// Messages of rounds that were not measured take the times of exchanges (exchange_times), because
// ranks send and receive at once.
double allreduce_time_s(const Platform& platform,
                        const GroupLinks& links,
                        double bytes,
                        AllreduceAlgorithm algorithm);

// Returns the time of an allreduce, or of one of its halves. The first rule that applies gives the
// time of a half:
//
// - A half that was measured takes its measured time.
// - If the allreduce was measured, each half takes half of its time.
// - Otherwise, it takes half of the rounds, and only the reduce_scatter adds. `ring` has the rounds
//   of the ring. `library` has the rounds of Rabenseifner's algorithm, or of a ring without
//   measured rounds, whichever is faster.
//
// `bytes` is the size of all shards together.
// @pre `kind` is `allreduce`, or the algorithm has halves
double collective_time_s(const Platform& platform,
                         const GroupLinks& links,
                         double bytes,
                         CollectiveKind kind,
                         AllreduceAlgorithm algorithm);

// Returns the minimum of collective_time_s per byte over all sizes up to `most_bytes`. No way to
// spread bytes over such collectives takes less time per byte.
// @pre most_bytes > 0
double least_collective_s_per_byte(const Platform& platform,
                                   const GroupLinks& links,
                                   double most_bytes,
                                   CollectiveKind kind,
                                   AllreduceAlgorithm algorithm);

// Returns the time in which a rank of a ring sends `bytes` to the next rank over a link of this
// level, and gets as many bytes from the rank before it. The bytes are cut into chunks that stay in
// cache, and `sharing` ranks send as much over the link at the same time. The factor of
// exchange_times() is not in the result. @pre bytes > 0
double ring_block_s(const Platform& platform, std::size_t level, double bytes, double sharing);

// Returns the bytes of each chunk into which a ring cuts a block of `bytes` on this level: the
// whole block, or 64 KiB on the innermost level and 256 KiB beyond, if the block is larger.
double ring_chunk_bytes(std::size_t level, double bytes);

// Returns the algorithm whose rounds `library` is assumed to run if it was not measured.
AllreduceAlgorithm assumed_algorithm(const Platform& platform,
                                     const GroupLinks& links,
                                     double bytes,
                                     CollectiveKind kind = CollectiveKind::allreduce);

// True if the platform has measured times of this collective for an equal number of ranks in an
// equal place (GroupPlace).
bool has_fit(const Platform& platform,
             const GroupLinks& links,
             CollectiveKind kind,
             AllreduceAlgorithm algorithm);

// True for a half whose time was not measured, but is half of a measured allreduce or, for
// `library`, that of assumed rounds.
bool is_estimated_half(const Platform& platform,
                       const GroupLinks& links,
                       CollectiveKind kind,
                       AllreduceAlgorithm algorithm);

}  // namespace cnnplan
