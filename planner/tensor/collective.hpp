// Names the collectives and their algorithms, as code, JSON and documents do.
#pragma once

#include <string_view>

namespace cnnplan {

// `library` is the allreduce of MPI or NCCL, and all other algorithms are our own. `ring` is a
// pipeline of chunks along a ring (Patarasuk, Yuan 2009). The others exchange whole messages, round
// by round (planner/platform/exchange_rounds.hpp).
enum class AllreduceAlgorithm { ring, recursive_doubling, rabenseifner, hierarchical, library };
// Returns the name of the enumerator, as JSON and the command line spell it.
std::string_view to_text(AllreduceAlgorithm algorithm);

// An allreduce may be run in two halves: a reduce_scatter leaves every rank its shard of the sum
// (shard.hpp), and an allgather gives all shards to all ranks.
enum class CollectiveKind { allreduce, reduce_scatter, allgather };
std::string_view to_text(CollectiveKind kind);
// True if the algorithm can run as two halves, as only `ring` and `library` can.
bool has_halves(AllreduceAlgorithm algorithm);
// True if the algorithm adds the values of 2^k ranks as a binary tree: values of neighbours first,
// then the sums of neighbouring pairs, and so on.
bool adds_as_a_tree(AllreduceAlgorithm algorithm);

}  // namespace cnnplan
