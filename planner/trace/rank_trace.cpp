// Takes messages and buffers from the schedule, and places and times from its operations.
#include "planner/trace/rank_trace.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "planner/schedule/rank_memory.hpp"
#include "planner/tensor/peer_message.hpp"

namespace cnnplan {
namespace {

// Returns the messages to other ranks.
std::vector<TracedMessage> sends_of(const Schedule& schedule, const Operation& operation) {
  const auto* transfer = std::get_if<TransferOperation>(&operation.body);
  if (transfer == nullptr || transfer->source < 0) return {};
  const std::int64_t element_bytes = bytes_of(schedule.buffers[transfer->source].element);
  std::vector<TracedMessage> sends;
  for_each_message(
      transfer->list.sends, source_box(schedule, *transfer), [&](const PeerMessage& message) {
        if (message.peer == schedule.rank) return;
        sends.push_back({.peer = message.peer, .bytes = message.elements * element_bytes});
      });
  return sends;
}

std::int64_t first_begin(const OperationSpans& spans) {
  std::int64_t begin_ns = std::numeric_limits<std::int64_t>::max();
  for (const std::optional<TracedSpan>& span : spans) {
    if (span) begin_ns = std::min(begin_ns, span->begin_ns);
  }
  return begin_ns;
}

// What is not in the arena stays all the time. Returns nothing where no operation has times.
std::vector<MemoryChange> memory_changes(const Schedule& schedule,
                                         DeviceKind device,
                                         const OperationSpans& spans) {
  const std::int64_t begin_ns = first_begin(spans);
  if (begin_ns == std::numeric_limits<std::int64_t>::max()) return {};
  const MemoryUse use = memory_of(schedule, {.device = device});
  const std::int64_t kept = use.total_bytes() - schedule.arena_bytes;
  std::vector<MemoryChange> changes =
      arena_use(schedule, [&](OperationIndex i) -> std::optional<RunTime> {
        if (!spans[i]) return std::nullopt;
        return RunTime{.begin_ns = spans[i]->begin_ns - begin_ns,
                       .end_ns = spans[i]->end_ns - begin_ns};
      });
  for (MemoryChange& change : changes) {
    change.time_ns += begin_ns;
    change.bytes += kept;
  }
  return changes;
}

}  // namespace

TracedRank traced_rank(const Schedule& schedule,
                       const Network& network,
                       const OperationSpans& spans,
                       const TraceOrigin& origin) {
  TracedRank rank{.rank = schedule.rank, .process = process_of(schedule.rank, origin.source)};
  for (const OperationIndex i : spans.indices()) {
    if (!spans[i]) continue;
    const Operation& operation = schedule.operations[i];
    const OperationPlace place = place_of(operation.label, network);
    rank.operations.push_back({.id = operation.id,
                               .name = {.name = operation.id,
                                        .category = std::string(to_text(operation.label.part)),
                                        .layer = place.layer},
                               .stream = operation.stream,
                               .lane = operation.lane,
                               .span = *spans[i],
                               .sends = sends_of(schedule, operation)});
  }
  rank.memory = memory_changes(schedule, origin.device, spans);
  return rank;
}

}  // namespace cnnplan
