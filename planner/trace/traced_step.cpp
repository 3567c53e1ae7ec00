// Finds the receivers of messages by rank and by the id of the operation.
#include "planner/trace/traced_step.hpp"

#include <map>
#include <string_view>
#include <utility>

namespace cnnplan {
namespace {

constexpr int stream_count = 4;

ThreadId thread_of(const TracedRank& rank, const TracedOperation& operation) {
  const int stream = static_cast<int>(operation.stream);
  return {.process = rank.process, .thread = 1 + operation.lane * stream_count + stream};
}

std::string thread_name(const TracedOperation& operation) {
  const std::string stream(to_text(operation.stream));
  return operation.lane == 0 ? stream : stream + ", lane " + std::to_string(operation.lane);
}

TracedSpan later(TracedSpan span, std::int64_t shift_ns) {
  span.begin_ns += shift_ns;
  span.work_begin_ns += shift_ns;
  span.end_ns += shift_ns;
  return span;
}

struct Place {
  ThreadId thread;
  TracedSpan span;
};
using Places = std::map<std::pair<int, std::string_view>, Place>;

std::int64_t sent_bytes(const TracedOperation& operation) {
  std::int64_t bytes = 0;
  for (const TracedMessage& message : operation.sends) bytes += message.bytes;
  return bytes;
}

}  // namespace

int process_of(int rank, TraceSource source) {
  return 2 * rank + (source == TraceSource::measured ? 1 : 2);
}

void add_step(std::span<const TracedRank> ranks, std::int64_t shift_ns, EventTrace& trace) {
  Places places;
  for (const TracedRank& rank : ranks) {
    for (const TracedOperation& operation : rank.operations) {
      const ThreadId thread = thread_of(rank, operation);
      const TracedSpan span = later(operation.span, shift_ns);
      trace.name_thread(thread, thread_name(operation));
      trace.add_operation(thread, trace.add_name(operation.name), span, sent_bytes(operation));
      places.insert_or_assign({rank.rank, operation.id}, Place{.thread = thread, .span = span});
    }
  }
  for (const TracedRank& rank : ranks) {
    for (const TracedOperation& operation : rank.operations) {
      for (const TracedMessage& message : operation.sends) {
        const auto receiver = places.find({message.peer, operation.id});
        if (receiver == places.end()) continue;
        const Place& sender = places.at({rank.rank, operation.id});
        trace.add_message(
            sender.thread, sender.span, receiver->second.thread, receiver->second.span);
      }
    }
  }
}

}  // namespace cnnplan
