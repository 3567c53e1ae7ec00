// Time of the collectives that the executor runs, on a platform.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "planner/cost/collective_formulas.hpp"
#include "planner/model/collective.hpp"
#include "planner/model/platform.hpp"

namespace cnnplan {

// A kind of link in a ring of ranks.
struct RingLink {
  std::size_t level = 0;  // of the platform
  double sharing = 1.0;   // messages of rings like this one that leave over it at once
  bool operator==(const RingLink&) const = default;
};

// All that the time of a collective depends on of its group.
struct GroupLinks {
  int ranks = 0;
  std::vector<RingLink> ring;  // from each rank to the next and back to the first, each kind once
  // Of recursive doubling, neighbours first: the outermost level that messages of each round take.
  std::vector<std::size_t> rounds;
  std::size_t fold = 0;  // the same of the ranks beyond a power of two, which only hand over
};
// @pre `group` is ascending
GroupLinks links_of(const Platform& platform, std::span<const int> group);

// Sum of `bytes` over a group, all of it ready. The other ranks are taken to run the same on groups
// of their own at the same time: they share the links. `ring`: 2(p-1) steps that send n/p bytes to
// the next rank and receive as many from the last, as slow as the slowest link of the ring:
// measured steps where the level has them, else messages of at most one chunk (64 KiB on the
// innermost level, 256 KiB beyond) and (p-1)/p n gamma. `library`: the platform's fit for this
// number of ranks, else the best of Thakur's algorithms, each round on the level that its
// messages take. Nothing to sum, or one rank, takes no time.
double allreduce_time_s(const Platform& platform,
                        const GroupLinks& links,
                        double bytes,
                        AllreduceAlgorithm algorithm);

// What every byte of such a sum takes at least, however the bytes are parted over sums of at most
// `most_bytes`: the least of allreduce_time_s over bytes. @pre most_bytes > 0
double least_allreduce_s_per_byte(const Platform& platform,
                                  const GroupLinks& links,
                                  double most_bytes,
                                  AllreduceAlgorithm algorithm);

// A block of a ring as messages on this level of the platform, one direction: it is cut into chunks
// that stay in cache, and `sharing` blocks go over the link at once.
double ring_block_s(const Platform& platform, std::size_t level, double bytes, double sharing);

// What `library` is taken to run: what was measured, else the fastest of Thakur's algorithms.
enum class LibraryAlgorithm { measured, recursive_doubling, rabenseifner, ring };
LibraryAlgorithm library_algorithm(const Platform& platform, const GroupLinks& links, double bytes);

// Whether the time of the library's allreduce over `ranks` ranks was measured, not derived from the
// links.
bool has_library_fit(const Platform& platform, int ranks);

}  // namespace cnnplan
