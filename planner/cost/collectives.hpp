// Time of the collectives that the executor runs, on a platform.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "planner/cost/collective_formulas.hpp"
#include "planner/platform/platform.hpp"
#include "planner/tensor/collective.hpp"

namespace cnnplan {

// A kind of link between neighbours in a ring of ranks.
struct RingEdge {
  std::size_t level = 0;  // of the platform
  double sharing = 1.0;   // messages of rings like this one that leave over it at once
  bool operator==(const RingEdge&) const = default;
};

// All that the time of a collective depends on of its group. Levels are the outermost that messages
// of a round take.
struct GroupLinks {
  int ranks = 0;
  int ranks_per_node = 1;      // of `hierarchical`
  std::vector<RingEdge> ring;  // from each rank to the next and back to the first, each kind once
  std::vector<std::size_t> rounds;  // of recursive doubling, neighbours first
  std::size_t fold = 0;             // of the ranks beyond a power of two, which only hand over
  std::size_t inside_nodes = 0;     // of rings inside nodes
  // Between ranks of the same place on all nodes: of halving, neighbours first, where the nodes are
  // a power of two; else one, of rings.
  std::vector<std::size_t> between_nodes;
};
// @pre `group` is ascending; `ranks_per_node` divides its size
GroupLinks links_of(const Platform& platform, std::span<const int> group, int ranks_per_node = 1);

// Sum of `bytes` over a group, all of it ready. The other ranks are taken to run the same on groups
// of their own at the same time: they share the links. `ring`: 2(p-1) steps that send n/p bytes to
// the next rank and receive as many from the last, as slow as the slowest link of the ring:
// measured steps where the level has them, else messages of at most one chunk (64 KiB on the
// innermost level, 256 KiB beyond) and (p-1)/p n gamma. Algorithms in rounds: each message on the
// level that it takes, and gamma for what is added. `library`: the best of recursive doubling,
// Rabenseifner's and a ring of messages. Where the platform has a fit of the algorithm for this
// number of ranks, that instead. Nothing to sum, or one rank, takes no time.
double allreduce_time_s(const Platform& platform,
                        const GroupLinks& links,
                        double bytes,
                        AllreduceAlgorithm algorithm);

// The same for one of the halves: where it was measured, that; else p-1 of a ring's steps, of which
// those of the reduce-scatter bear what is added (of the library: a ring of messages), or where the
// allreduce was measured as a whole, half of its time. `bytes`: of all shards. @pre `kind` is
// `allreduce` or the algorithm has halves
double collective_time_s(const Platform& platform,
                         const GroupLinks& links,
                         double bytes,
                         CollectiveKind kind,
                         AllreduceAlgorithm algorithm);

// What every byte of such a collective takes at least, however the bytes are parted over ones of at
// most `most_bytes`: the least of collective_time_s over bytes. @pre most_bytes > 0
double least_collective_s_per_byte(const Platform& platform,
                                   const GroupLinks& links,
                                   double most_bytes,
                                   CollectiveKind kind,
                                   AllreduceAlgorithm algorithm);

// A block of a ring as messages on this level of the platform, one direction: it is cut into chunks
// that stay in cache, and `sharing` blocks go over the link at once.
double ring_block_s(const Platform& platform, std::size_t level, double bytes, double sharing);

// What `library` is taken to run where it was not measured.
AllreduceAlgorithm assumed_algorithm(const Platform& platform,
                                     const GroupLinks& links,
                                     double bytes);

// Whether this collective was measured over `ranks` ranks.
bool has_fit(const Platform& platform,
             int ranks,
             CollectiveKind kind,
             AllreduceAlgorithm algorithm);

}  // namespace cnnplan
