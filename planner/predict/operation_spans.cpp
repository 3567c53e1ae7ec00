// Finds when a rank is ready for an operation: its dependencies and its queue have ended.
#include "planner/predict/operation_spans.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace cnnplan {
namespace {

// Operations of one queue end in order. Communication next to kernels has a queue for each stream.
using QueueKey = std::pair<int, int>;

QueueKey queue_of(const RankWork& work, OperationIndex operation, bool is_beside) {
  constexpr int compute_queue = -1;
  if (is_beside) return {static_cast<int>(work.streams[operation]), 0};
  return {compute_queue, work.lanes[operation]};
}

}  // namespace

IndexedVector<OperationIndex, OperationSpan> spans_of(const RankWork& work,
                                                      const RankTimeline& timeline,
                                                      const VirtualTimeOptions& options) {
  IndexedVector<OperationIndex, OperationSpan> spans;
  spans.reserve(work.size());
  std::map<QueueKey, double> queue_ends_s;
  auto meeting = work.meetings.begin();
  for (const OperationIndex i : work.prices.indices()) {
    const bool meets = meeting != work.meetings.end() && meeting->operation == i;
    const bool is_beside = meets && options.overlap > 0.0 && work.streams[i] != Stream::compute;
    double& queue_end_s =
        queue_ends_s.try_emplace(queue_of(work, i, is_beside), options.begin_s).first->second;
    const double end_s = timeline.ends_s[i];
    // Differences of sums are rounded, but operations of one queue must not overlap.
    const double work_begin_s =
        std::clamp(end_s - work.prices[i].seconds, std::min(queue_end_s, end_s), end_s);
    double ready_s = queue_end_s;
    for (const OperationIndex earlier : work.dependencies_of(i)) {
      ready_s = std::max(ready_s, timeline.ends_s[earlier]);
    }
    const bool waits = meets && meeting->waits_for_others;
    const double begin_s = waits ? std::min(ready_s, work_begin_s) : work_begin_s;
    spans.push_back({.begin_s = begin_s, .work_begin_s = work_begin_s, .end_s = end_s});
    queue_end_s = end_s;
    if (meets) ++meeting;
  }
  return spans;
}

}  // namespace cnnplan
