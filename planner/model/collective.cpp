// Names of collective algorithms.
#include "planner/model/collective.hpp"

namespace cnnplan {

std::string_view to_text(AllreduceAlgorithm algorithm) {
  return algorithm == AllreduceAlgorithm::ring ? "ring" : "library";
}

}  // namespace cnnplan
