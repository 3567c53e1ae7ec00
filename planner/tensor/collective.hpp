// Names the collectives and their algorithms, as code, JSON and documents do.
#pragma once

#include <string_view>

namespace cnnplan {

// `library` is the allreduce of MPI or NCCL. All other algorithms are our own: `ring` passes chunks
// along a ring (Patarasuk, Yuan 2009), and the others exchange in rounds (exchange_rounds.hpp).
enum class AllreduceAlgorithm { ring, recursive_doubling, rabenseifner, hierarchical, library };
std::string_view to_text(AllreduceAlgorithm algorithm);

// An allreduce may be run in two halves: a reduce_scatter leaves every rank its shard of the sum
// (shard.hpp), and an allgather gives all shards to all ranks.
enum class CollectiveKind { allreduce, reduce_scatter, allgather };
std::string_view to_text(CollectiveKind kind);
// Says whether the algorithm has halves. Only `ring` and `library` do.
bool has_halves(AllreduceAlgorithm algorithm);
// True if ranks whose number is a power of two add as a binary tree: neighbours add first, then
// pairs of neighbours, and so on.
bool adds_as_a_tree(AllreduceAlgorithm algorithm);

}  // namespace cnnplan
