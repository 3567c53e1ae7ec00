// Names the algorithms of sums by their sizes.
#pragma once

#include <cstdint>

#include "planner/tensor/collective.hpp"

namespace cnnplan {

// Names the algorithm for sums of gradients of up to `max_bytes`.
struct SizedAllreduce {
  std::int64_t max_bytes = 1;
  AllreduceAlgorithm algorithm = AllreduceAlgorithm::ring;
  bool operator==(const SizedAllreduce&) const = default;
};

}  // namespace cnnplan
