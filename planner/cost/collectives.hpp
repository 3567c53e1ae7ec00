// Computes the time of the collectives that the executor runs, on a platform.
#pragma once

#include <cstddef>

#include "planner/cost/group_links.hpp"
#include "planner/platform/platform.hpp"
#include "planner/tensor/collective.hpp"

namespace cnnplan {

// Returns the time of a sum of `bytes` over a group that is ready to sum them. Other groups are
// taken to run the same sum at the same time: they share the links. One rank, or nothing to sum,
// takes no time. Where the platform has a fit of the algorithm for this number of ranks, the fit
// counts. Else the algorithms take the rounds of planner/platform/exchange_rounds.hpp:
//
// - `ring`: every round is as slow as the slowest link of the ring. It is a measured step where the
//   level has one. Else it is messages of at most one chunk (64 KiB on the innermost level, 256 KiB
//   beyond), and the additions are spread evenly over all rounds.
// - `recursive_doubling`, `rabenseifner`, `hierarchical`: each message takes its time on its level,
//   and gamma counts for what is added.
// - `library`: the fastest of recursive doubling, Rabenseifner's algorithm and a ring of messages.
double allreduce_time_s(const Platform& platform,
                        const GroupLinks& links,
                        double bytes,
                        AllreduceAlgorithm algorithm);

// Returns the time of an allreduce, or of one of its halves. A half counts as it was measured.
// Else, where its allreduce was measured as a whole, it takes half of that time. Else it takes its
// rounds of the ring, which add in the reduce-scatter alone; the library runs a ring of messages.
// `bytes` are those of all shards. @pre `kind` is `allreduce` or the algorithm has halves
double collective_time_s(const Platform& platform,
                         const GroupLinks& links,
                         double bytes,
                         CollectiveKind kind,
                         AllreduceAlgorithm algorithm);

// Returns the least time per byte of such collectives, however the bytes are spread over
// collectives of at most `most_bytes`: the least of collective_time_s over bytes.
// @pre most_bytes > 0
double least_collective_s_per_byte(const Platform& platform,
                                   const GroupLinks& links,
                                   double most_bytes,
                                   CollectiveKind kind,
                                   AllreduceAlgorithm algorithm);

// Returns the time of a ring's block as messages on this level of the platform, in one direction.
// The block is cut into chunks that stay in cache, and `sharing` blocks go over the link at once.
double ring_block_s(const Platform& platform, std::size_t level, double bytes, double sharing);

// Returns the algorithm that `library` is taken to run where it was not measured.
AllreduceAlgorithm assumed_algorithm(const Platform& platform,
                                     const GroupLinks& links,
                                     double bytes);

// True if this collective was measured over `ranks` ranks.
bool has_fit(const Platform& platform,
             int ranks,
             CollectiveKind kind,
             AllreduceAlgorithm algorithm);

}  // namespace cnnplan
