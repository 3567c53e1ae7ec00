// Texts of enumerators.
#include "planner/model/collective.hpp"

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

}  // namespace cnnplan
