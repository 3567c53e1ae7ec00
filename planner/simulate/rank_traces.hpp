// The schedules of all ranks as traces: the third interpreter, beside prediction and execution.
#pragma once

#include <set>
#include <span>
#include <utility>
#include <vector>

#include "planner/predict/price.hpp"
#include "planner/simulate/trace.hpp"

namespace cnnplan {

struct TraceOptions {
  // Part of the time of halos and reductions that does not stop the kernels, as in the prediction.
  // 0: one process per rank. Else three: kernels, halos and reductions, in this order. One more for
  // each lane of kernels but the first. They are process stream * ranks + rank; where an operation
  // depends on one of another process it awaits a signal.
  double overlap = 0.0;
  // Messages with the bytes that they have, even where the link is slower for short ones.
  bool real_bytes = false;
};

// What SimGrid replays. Process p runs on the host of rank p % ranks.
struct Traces {
  int ranks = 1;
  std::vector<Trace> processes;
  // Ranks that send and receive, in pairs; a rank and itself where its processes signal.
  std::set<std::pair<int, int>> routes;
  std::int64_t messages = 0;  // signals left out
};

// Kernels and loads work for their price; transfers pack, exchange one message per peer, and
// unpack; collectives as collective_rounds says. Nothing waits but for messages.
// @pre schedules[i].schedule.rank == i, all of one plan
Traces rank_traces(std::span<const PricedSchedule> schedules,
                   const Platform& platform,
                   const TraceOptions& options);

}  // namespace cnnplan
