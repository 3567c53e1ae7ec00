// Describes what ranks do in one step, and adds it to a trace: predicted and measured steps alike.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "planner/predict/arena_use.hpp"
#include "planner/schedule/schedule.hpp"
#include "planner/trace/event_trace.hpp"

namespace cnnplan {

struct TracedMessage {
  int peer = 0;
  std::int64_t bytes = 0;
  bool operator==(const TracedMessage&) const = default;
};

struct TracedOperation {
  std::string id;
  SliceName name{};
  Stream stream = Stream::compute;
  int lane = 0;
  TracedSpan span{};
  std::vector<TracedMessage> sends{};  // to other ranks
};

// `process` shows `rank`, which may stand for others.
struct TracedRank {
  int rank = 0;
  int process = 0;
  std::string name{};  // of the process
  std::vector<TracedOperation> operations{};
  std::vector<MemoryChange> memory{};  // parameters, buffers, and what the step keeps
};

// Returns how long each operation of the rank waits for other ranks, by its id. Operations that do
// not wait are left out.
std::map<std::string, std::int64_t> waiting_ns(const TracedRank& rank);

// Says which half of a trace a process belongs to.
enum class TraceSource { measured, predicted };
// Returns the number of the process that shows a rank. The measured process of a rank comes before
// the predicted one.
int process_of(int rank, TraceSource source);

// Adds the operations and the memory of all ranks `shift_ns` later. Messages go to operations of
// equal id; those to ranks that are not listed are left out. Processes and threads get names.
// Operations of one stream and lane that run at one time get several threads.
void add_step(std::span<const TracedRank> ranks, std::int64_t shift_ns, EventTrace& trace);

}  // namespace cnnplan
