// Finds the times of all buffers in the arena, and adds up their bytes.
#include "planner/predict/arena_use.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "planner/schedule/rank_memory.hpp"
#include "planner/schedule/schedule_builder.hpp"

namespace cnnplan {
namespace {

// Returns the times of the buffers in the arena. Operations of other lanes may use a buffer before
// the first use in the list, or after the last.
std::map<BufferIndex, RunTime> used_times(const Schedule& schedule, const FindRunTime& find) {
  std::map<BufferIndex, RunTime> times;
  constexpr RunTime unused{.begin_ns = std::numeric_limits<std::int64_t>::max()};
  for (const OperationIndex i : schedule.operations.indices()) {
    const std::optional<RunTime> run = find(i);
    if (!run) continue;
    for (const Operand& operand : operands_of(schedule.operations[i].body)) {
      if (operand.buffer < 0 || !in_arena(schedule.buffers[operand.buffer].role)) continue;
      RunTime& time = times.try_emplace(operand.buffer, unused).first->second;
      time.begin_ns = std::min(time.begin_ns, run->begin_ns);
      time.end_ns = std::max(time.end_ns, run->end_ns);
    }
  }
  return times;
}

// Returns what is taken and freed. At one time, memory is freed before it is taken.
std::vector<MemoryChange> differences(const Schedule& schedule, const FindRunTime& find) {
  std::vector<MemoryChange> differences;
  for (const auto& [buffer, time] : used_times(schedule, find)) {
    const std::int64_t bytes = schedule.buffers[buffer].bytes;
    differences.push_back({.time_ns = time.begin_ns, .bytes = bytes});
    differences.push_back({.time_ns = time.end_ns, .bytes = -bytes});
  }
  std::sort(
      differences.begin(), differences.end(), [](const MemoryChange& a, const MemoryChange& b) {
        return std::pair(a.time_ns, a.bytes) < std::pair(b.time_ns, b.bytes);
      });
  return differences;
}

}  // namespace

std::vector<MemoryChange> arena_use(const Schedule& schedule, const FindRunTime& find) {
  std::vector<MemoryChange> changes{{.time_ns = 0, .bytes = 0}};
  for (const MemoryChange& difference : differences(schedule, find)) {
    const std::int64_t bytes = changes.back().bytes + difference.bytes;
    if (difference.time_ns > changes.back().time_ns) changes.push_back(difference);
    changes.back().bytes = bytes;
  }
  return changes;
}

}  // namespace cnnplan
