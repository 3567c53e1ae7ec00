// Says what the memory of a rank is used for, over the step and by layer.
#pragma once

#include <cstdint>
#include <vector>

#include "planner/predict/arena_use.hpp"
#include "planner/predict/predicted_spans.hpp"

namespace cnnplan {

struct MemoryTimeline {
  int rank = 0;
  std::vector<MemoryChange> arena{};  // ascending in time
  // By layer, as planner/schedule/rank_memory.hpp counts it.
  IndexedVector<LayerIndex, std::int64_t> kept_bytes{};  // from the forward pass on
  IndexedVector<LayerIndex, std::int64_t> parameter_bytes{};
};

// Lowers the rank for its buffers. `device` runs the kernels.
// @pre `spans` are of the class that the rank represents
MemoryTimeline memory_timeline(const Plan& plan,
                               int rank,
                               DeviceKind device,
                               const ClassSpans& spans);

}  // namespace cnnplan
