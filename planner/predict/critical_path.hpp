// Finds the operations that a step waits for.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "planner/predict/virtual_time.hpp"

namespace cnnplan {

// Names an operation on the path, of the rank that is walked for its class.
struct CriticalOperation {
  std::size_t rank_class = 0;
  OperationIndex operation;
  // Counts the time from the end of the operation before it on the path. It includes slowdowns, and
  // waits for ranks that do not take equally long.
  double seconds = 0.0;
};

// Returns the path from the first operation to the operation that ends last. Each operation begins
// when its predecessor on the path ends. The predecessor is a dependency, or the operation before
// it in its stream or lane. For a transfer or collective, it may be such an operation of the
// partner that arrives last. Seconds add up to the step.
// @pre timelines == walk(work, classes, options)
std::vector<CriticalOperation> critical_path(std::span<const RankWork> work,
                                             const RankClasses& classes,
                                             std::span<const RankTimeline> timelines,
                                             const VirtualTimeOptions& options = {});

}  // namespace cnnplan
