// Names of collective algorithms, the same in code, JSON and documents.
#pragma once

#include <string_view>

namespace cnnplan {

// `ring` is our own; `library` is MPI_Allreduce or its like.
enum class AllreduceAlgorithm { ring, library };
std::string_view to_text(AllreduceAlgorithm algorithm);

}  // namespace cnnplan
