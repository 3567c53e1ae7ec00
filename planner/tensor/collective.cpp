// Returns the names and properties of collective algorithms.
#include "planner/tensor/collective.hpp"

#include <array>
#include <cstddef>
#include <stdexcept>

namespace cnnplan {

std::string_view to_text(AllreduceAlgorithm algorithm) {
  switch (algorithm) {
    case AllreduceAlgorithm::ring:
      return "ring";
    case AllreduceAlgorithm::recursive_doubling:
      return "recursive_doubling";
    case AllreduceAlgorithm::rabenseifner:
      return "rabenseifner";
    case AllreduceAlgorithm::hierarchical:
      return "hierarchical";
    case AllreduceAlgorithm::library:
      return "library";
  }
  throw std::logic_error("unknown allreduce algorithm");
}

bool has_halves(AllreduceAlgorithm algorithm) {
  return algorithm == AllreduceAlgorithm::ring || algorithm == AllreduceAlgorithm::library;
}

bool adds_as_a_tree(AllreduceAlgorithm algorithm) {
  return algorithm == AllreduceAlgorithm::recursive_doubling ||
         algorithm == AllreduceAlgorithm::rabenseifner;
}

std::string_view to_text(CollectiveKind kind) {
  constexpr std::array<std::string_view, 3> names{"allreduce", "reduce_scatter", "allgather"};
  return names[static_cast<std::size_t>(kind)];
}

}  // namespace cnnplan
