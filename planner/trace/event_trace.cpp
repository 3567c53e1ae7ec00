// Turns operations and messages into events.
#include "planner/trace/event_trace.hpp"

#include <algorithm>
#include <tuple>

namespace cnnplan {

NameIndex EventTrace::add_name(const SliceName& name) {
  const auto [entry, is_new] = name_indices_.try_emplace(name, NameIndex(std::ssize(names_)));
  if (is_new) names_.push_back(name);
  return entry->second;
}

void EventTrace::add_operation(const ThreadId& thread,
                               NameIndex name,
                               const TracedSpan& span,
                               std::int64_t sent_bytes) {
  TraceEvent event{.kind = EventKind::slice,
                   .process = thread.process,
                   .thread = thread.thread,
                   .time_ns = span.begin_ns,
                   .duration_ns = span.end_ns - span.begin_ns,
                   .value = sent_bytes,
                   .name = name};
  events_.push_back(event);
  if (span.work_begin_ns <= span.begin_ns) return;
  event.duration_ns = span.work_begin_ns - span.begin_ns;
  event.value = 0;
  event.name = add_name({.name = "waiting", .category = "waiting"});
  events_.push_back(event);
}

void EventTrace::add_message(const ThreadId& sender,
                             const TracedSpan& sent,
                             const ThreadId& receiver,
                             const TracedSpan& received) {
  if (received.end_ns < sent.begin_ns) return;
  // A viewer takes the slice at this time, so the end is well inside of the receiver's work.
  const std::int64_t middle =
      received.work_begin_ns + (received.end_ns - received.work_begin_ns) / 2;
  const std::int64_t possible = std::min(std::max(middle, sent.work_begin_ns), received.end_ns);
  const std::int64_t departure =
      std::clamp(std::min(sent.work_begin_ns, possible), sent.begin_ns, sent.end_ns);
  const std::int64_t arrival = std::max(possible, departure);
  const std::int64_t number = flows_++;
  events_.push_back({.kind = EventKind::flow_begin,
                     .process = sender.process,
                     .thread = sender.thread,
                     .time_ns = departure,
                     .value = number});
  events_.push_back({.kind = EventKind::flow_end,
                     .process = receiver.process,
                     .thread = receiver.thread,
                     .time_ns = arrival,
                     .value = number});
}

void EventTrace::add_memory(int process, std::int64_t time_ns, std::int64_t bytes) {
  events_.push_back(
      {.kind = EventKind::counter, .process = process, .time_ns = time_ns, .value = bytes});
}

std::vector<TraceEvent> EventTrace::sorted_events() const {
  std::vector<TraceEvent> events = events_;
  std::stable_sort(events.begin(), events.end(), [](const TraceEvent& a, const TraceEvent& b) {
    return std::tuple(a.time_ns, a.kind, b.duration_ns) <
           std::tuple(b.time_ns, b.kind, a.duration_ns);
  });
  return events;
}

}  // namespace cnnplan
