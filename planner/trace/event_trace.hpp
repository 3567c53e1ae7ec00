// Holds the events of a trace: named slices of time on threads, messages between slices, and
// counters.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "planner/base/typed_index.hpp"

namespace cnnplan {

// Says what a slice shows. Slices with equal names share one.
struct SliceName {
  std::string name;
  std::string category;
  std::string layer{};  // empty: none
  auto operator<=>(const SliceName&) const = default;
};
using NameIndex = TypedIndex<struct SliceNameTag>;

enum class EventKind { slice, flow_begin, flow_end, counter };

// Holds one event. Its fields have meanings by its kind.
struct TraceEvent {
  EventKind kind = EventKind::slice;
  int process = 0;
  int thread = 0;
  std::int64_t time_ns = 0;      // from the begin of the trace
  std::int64_t duration_ns = 0;  // of a slice
  std::int64_t value = 0;        // bytes that a slice sends; number of a flow; bytes of a counter
  NameIndex name;                // of a slice
};

// Says when an operation begins to wait, begins to work and ends.
struct TracedSpan {
  std::int64_t begin_ns = 0;
  std::int64_t work_begin_ns = 0;
  std::int64_t end_ns = 0;
};

// Names a thread of a process.
struct ThreadId {
  int process = 0;
  int thread = 0;
  auto operator<=>(const ThreadId&) const = default;
};

class EventTrace {
 public:
  NameIndex add_name(const SliceName& name);
  // Processes are shown in the order of their numbers.
  void name_process(int process, const std::string& name) { processes_[process] = name; }
  void name_thread(const ThreadId& thread, const std::string& name) { threads_[thread] = name; }
  // Adds a slice for an operation, and a slice in it for the time that it waits.
  // @pre begin_ns <= work_begin_ns <= end_ns
  void add_operation(const ThreadId& thread,
                     NameIndex name,
                     const TracedSpan& span,
                     std::int64_t sent_bytes);
  // Adds a message from one slice to another. It leaves when the sender begins to work. It arrives
  // in the middle of the time that the receiver works. Clocks of measured steps may be apart a
  // little, so a message that would arrive before it leaves is left out.
  void add_message(const ThreadId& sender,
                   const TracedSpan& sent,
                   const ThreadId& receiver,
                   const TracedSpan& received);
  // Sets the memory of a process from `time_ns` on.
  void add_memory(int process, std::int64_t time_ns, std::int64_t bytes);

  // Returns the events in order of time. Of two slices that begin at one time, the longer is first.
  std::vector<TraceEvent> sorted_events() const;
  const SliceName& name(NameIndex index) const { return names_[index]; }
  const std::map<int, std::string>& processes() const { return processes_; }
  const std::map<ThreadId, std::string>& threads() const { return threads_; }

 private:
  std::map<int, std::string> processes_;
  std::map<ThreadId, std::string> threads_;
  std::map<SliceName, NameIndex> name_indices_;
  std::vector<SliceName> names_;
  std::vector<TraceEvent> events_;
  std::int64_t flows_ = 0;
};

}  // namespace cnnplan
