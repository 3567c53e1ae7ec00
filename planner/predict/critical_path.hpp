// Finds the operations that a step waits for.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "planner/predict/virtual_time.hpp"

namespace cnnplan {

// Names an operation on the path.
struct CriticalOperation {
  std::size_t rank_class = 0;  // the class of ranks whose representative runs the operation
  OperationIndex operation;    // of the schedule of this representative
  // Counts the time from the end of the operation before it on the path. It includes delays of
  // kernels by communication that runs at the same time, and waits for ranks that do not take
  // equally long.
  double seconds = 0.0;
};

// Returns the path from the first operation to the operation that ends last. The predecessor of an
// operation is the operation that ends last among the operations that it waits for. It waits for
// its dependencies, and for the operation before it in its stream or lane. A transfer or collective
// also waits for the dependencies and the operations before it on the ranks that take part. The
// seconds of the first operation count from the begin of the step. Seconds add up to the step.
// @pre timelines == walk(work, classes, options)
std::vector<CriticalOperation> critical_path(std::span<const RankWork> work,
                                             const RankClasses& classes,
                                             std::span<const RankTimeline> timelines,
                                             const VirtualTimeOptions& options = {});

// Returns the ranks that are walked for the classes on the path, in the order of their seconds, the
// longest first.
std::vector<int> ranks_on_path(std::span<const CriticalOperation> path, const RankClasses& classes);

}  // namespace cnnplan
