// Which operations a step waits for.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "planner/predict/virtual_time.hpp"

namespace cnnplan {

// An operation on the path, of the rank that is walked for its class.
struct CriticalOperation {
  std::size_t rank_class = 0;
  std::size_t operation = 0;  // its place among those of the rank
  // From the end of the one before it on the path, what slows it down and what it waits for ranks
  // that do not take equally long included.
  double seconds = 0.0;
};

// From the first operation to the one that ends last: each begins when the one before it ends,
// which is what it depends on, what is before it in its stream or lane, or, of a transfer or
// collective, what its latest rank does before. Seconds add up to the step.
// @pre timelines == walk(work, classes, options)
std::vector<CriticalOperation> critical_path(std::span<const RankWork> work,
                                             const RankClasses& classes,
                                             std::span<const RankTimeline> timelines,
                                             const VirtualTimeOptions& options = {});

}  // namespace cnnplan
