// Finds the times of a rank's operations by their ids, and asks its schedule for the bytes.
#include "planner/predict/memory_timeline.hpp"

#include <optional>
#include <string_view>
#include <unordered_map>

#include "planner/schedule/rank_memory.hpp"

namespace cnnplan {
namespace {

RunTime to_run_time(const OperationSpan& span) {
  return {.begin_ns = to_nanoseconds(span.begin_s), .end_ns = to_nanoseconds(span.end_s)};
}

}  // namespace

MemoryTimeline memory_timeline(const Plan& plan,
                               int rank,
                               DeviceKind device,
                               const ClassSpans& spans) {
  std::unordered_map<std::string_view, OperationSpan> by_id;
  for (const SpannedOperation& operation : spans.operations) {
    by_id.emplace(operation.id, operation.span);
  }
  MemoryTimeline memory{.rank = rank};
  lower_each(plan,
             std::vector<int>{rank},
             {.detail = Detail::timed},
             [&](std::size_t /*index*/, const Schedule& schedule) {
               memory.arena = arena_use(schedule, [&](OperationIndex i) {
                 return std::optional(to_run_time(by_id.at(schedule.operations[i].id)));
               });
               memory.kept_bytes = kept_bytes(schedule, device);
               memory.parameter_bytes = parameter_bytes(schedule, device);
             });
  return memory;
}

}  // namespace cnnplan
