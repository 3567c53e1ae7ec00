// Finds the receivers of messages by rank and by the id of the operation.
#include "planner/trace/traced_step.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <numeric>
#include <string_view>
#include <utility>

namespace cnnplan {
namespace {

constexpr int stream_count = 4;

// Finds a thread for each operation of a rank. Operations of one stream and lane share a thread,
// except those that begin before another one has ended. They get a further thread.
class Threads {
 public:
  explicit Threads(const TracedRank& rank);
  ThreadId of(std::size_t operation) const {
    return {.process = rank_.process, .thread = 1 + row_of(operation) + rows_ * turns_[operation]};
  }
  std::string name_of(std::size_t operation) const;

 private:
  // Returns the number of the operation's lane and stream.
  int row_of(std::size_t operation) const {
    const TracedOperation& traced = rank_.operations[operation];
    return traced.lane * stream_count + static_cast<int>(traced.stream);
  }

  const TracedRank& rank_;
  int rows_ = stream_count;
  std::vector<int> turns_;  // by operation; 0: in the first thread of its row
};

Threads::Threads(const TracedRank& rank) : rank_(rank), turns_(rank.operations.size()) {
  std::vector<std::size_t> order(rank.operations.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return rank.operations[a].span.begin_ns < rank.operations[b].span.begin_ns;
  });
  std::map<int, std::vector<std::int64_t>> ends;  // of the threads of each row
  for (const std::size_t i : order) {
    const TracedSpan& span = rank.operations[i].span;
    std::vector<std::int64_t>& row = ends[row_of(i)];
    const auto is_free = [&](std::int64_t end_ns) { return end_ns <= span.begin_ns; };
    const auto place = std::find_if(row.begin(), row.end(), is_free);
    turns_[i] = static_cast<int>(place - row.begin());
    place == row.end() ? row.push_back(span.end_ns) : void(*place = span.end_ns);
    rows_ = std::max(rows_, (rank.operations[i].lane + 1) * stream_count);
  }
}

std::string Threads::name_of(std::size_t operation) const {
  const TracedOperation& traced = rank_.operations[operation];
  std::string name(to_text(traced.stream));
  if (traced.lane > 0) name += ", lane " + std::to_string(traced.lane);
  if (turns_[operation] > 0) name += ", at the same time " + std::to_string(turns_[operation]);
  return name;
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

// Adds the operations and the memory of a rank, and says in `places` where the operations are.
void add_rank(const TracedRank& rank, std::int64_t shift_ns, Places& places, EventTrace& trace) {
  trace.name_process(rank.process, rank.name);
  const Threads threads(rank);
  for (std::size_t i = 0; i < rank.operations.size(); ++i) {
    const TracedOperation& operation = rank.operations[i];
    const ThreadId thread = threads.of(i);
    const TracedSpan span = later(operation.span, shift_ns);
    trace.name_thread(thread, threads.name_of(i));
    trace.add_operation(thread, trace.add_name(operation.name), span, sent_bytes(operation));
    places.insert_or_assign({rank.rank, operation.id}, Place{.thread = thread, .span = span});
  }
  for (const MemoryChange& change : rank.memory) {
    trace.add_memory(rank.process, change.time_ns + shift_ns, change.bytes);
  }
}

}  // namespace

std::map<std::string, std::int64_t> waiting_ns(const TracedRank& rank) {
  std::map<std::string, std::int64_t> waiting;
  for (const TracedOperation& operation : rank.operations) {
    const std::int64_t time_ns = operation.span.work_begin_ns - operation.span.begin_ns;
    if (time_ns > 0) waiting[operation.id] += time_ns;
  }
  return waiting;
}

int process_of(int rank, TraceSource source) {
  return 2 * rank + (source == TraceSource::measured ? 1 : 2);
}

void add_step(std::span<const TracedRank> ranks, std::int64_t shift_ns, EventTrace& trace) {
  Places places;
  for (const TracedRank& rank : ranks) add_rank(rank, shift_ns, places, trace);
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
