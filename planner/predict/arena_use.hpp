// Says how much of a rank's arena is in use over the step, for traces and for the report.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "planner/schedule/schedule.hpp"

namespace cnnplan {

// The memory of a rank changes at this time. Times count from the begin of the step.
struct MemoryChange {
  std::int64_t time_ns = 0;
  std::int64_t bytes = 0;  // in use from then on
  bool operator==(const MemoryChange&) const = default;
};

// Says when an operation runs, its waiting included.
struct RunTime {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
};

// Returns when an operation of the schedule runs, or nothing if that is not known.
using FindRunTime = std::function<std::optional<RunTime>(OperationIndex)>;

// Returns the bytes in use of the arena, ascending in time and from time 0 on. A buffer is in use
// from the begin of the first operation that names it to the end of the last one. This holds for
// lanes too, which run in another order than the schedule lists.
std::vector<MemoryChange> arena_use(const Schedule& schedule, const FindRunTime& find);

}  // namespace cnnplan
