// Names of collective algorithms, the same in code, JSON and documents.
#pragma once

#include <string_view>

namespace cnnplan {

// `library` is MPI_Allreduce or its like; the others are our own: `ring` in chunks along a ring
// (Patarasuk, Yuan 2009), the rest in rounds of exchanges (exchange_rounds.hpp).
enum class AllreduceAlgorithm { ring, recursive_doubling, rabenseifner, hierarchical, library };
std::string_view to_text(AllreduceAlgorithm algorithm);

}  // namespace cnnplan
