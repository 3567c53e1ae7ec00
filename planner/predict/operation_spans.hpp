// Tells when each operation of a walked rank begins to wait, begins to work and ends.
#pragma once

#include <cmath>
#include <cstdint>

#include "planner/predict/virtual_time.hpp"

namespace cnnplan {

// Returns seconds as the nearest number of nanoseconds, in which traces and memory count.
inline std::int64_t to_nanoseconds(double seconds) {
  constexpr double per_second = 1e9;
  return std::llround(seconds * per_second);
}

// Seconds count from the begin of the step. An operation waits from its begin to the begin of its
// work. Only transfers and collectives wait.
struct OperationSpan {
  double begin_s = 0.0;
  double work_begin_s = 0.0;
  double end_s = 0.0;
  bool operator==(const OperationSpan&) const = default;
};

// Returns the spans of the operations of one rank, for a timeline of walk() that was walked with
// `options` and likely prices. The spans of one stream and lane do not overlap, and none begins
// before options.begin_s.
// @pre `timeline` belongs to `work`
IndexedVector<OperationIndex, OperationSpan> spans_of(const RankWork& work,
                                                      const RankTimeline& timeline,
                                                      const VirtualTimeOptions& options);

}  // namespace cnnplan
