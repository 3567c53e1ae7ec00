// Describes what one rank does in a step, from its schedule and the times of its operations.
#pragma once

#include <optional>

#include "planner/base/indexed_vector.hpp"
#include "planner/schedule/schedule.hpp"
#include "planner/trace/traced_step.hpp"

namespace cnnplan {

// Operations without times are left out.
using OperationSpans = IndexedVector<OperationIndex, std::optional<TracedSpan>>;

// Says where the times of a trace come from, and which device runs the kernels.
struct TraceOrigin {
  TraceSource source = TraceSource::predicted;
  DeviceKind device = DeviceKind::cpu;
};

// Returns the operations, with their messages, and the memory of a rank. Its name stays empty.
// Memory in the arena is held from the begin of its first operation to the end of its last.
// @pre `schedule` was lowered from a plan of `network`, and its arena_bytes are set; `spans` has an
// entry for each operation
TracedRank traced_rank(const Schedule& schedule,
                       const Network& network,
                       const OperationSpans& spans,
                       const TraceOrigin& origin);

}  // namespace cnnplan
