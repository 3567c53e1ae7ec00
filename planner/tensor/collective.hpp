// Names of collective algorithms, the same in code, JSON and documents.
#pragma once

#include <string_view>

namespace cnnplan {

// `library` is MPI_Allreduce or its like; the others are our own: `ring` in chunks along a ring
// (Patarasuk, Yuan 2009), the rest in rounds of exchanges (exchange_rounds.hpp).
enum class AllreduceAlgorithm { ring, recursive_doubling, rabenseifner, hierarchical, library };
std::string_view to_text(AllreduceAlgorithm algorithm);

// An allreduce may be run in two halves: the first leaves every rank its shard of the sum
// (shard.hpp), the second puts shards together.
enum class CollectiveKind { allreduce, reduce_scatter, allgather };
std::string_view to_text(CollectiveKind kind);
// True for the ring and the library.
bool has_halves(AllreduceAlgorithm algorithm);
// True where a power of two of ranks adds as a binary tree: neighbours first, then pairs of these.
bool adds_as_a_tree(AllreduceAlgorithm algorithm);

}  // namespace cnnplan
