// Writes the schedules of all ranks as traces, which SimGrid replays.
#pragma once

#include <set>
#include <span>
#include <utility>
#include <vector>

#include "planner/predict/price.hpp"
#include "planner/simulate/trace.hpp"

namespace cnnplan {

// Says how schedules become traces.
struct TraceOptions {
  // This part of the time of halos and reductions does not stop the kernels, as in the prediction.
  // With 0, a rank has one process. Otherwise it has one each for kernels, halos and reductions, in
  // this order. Each lane of kernels except the first adds a process. Process i of a rank has the
  // number i * ranks + rank. An operation that depends on an operation of another process awaits a
  // signal.
  double overlap = 0.0;
  double begin_s = 0.0;  // until the first operations of a step begin, as in the prediction
  // With true, messages have their real bytes, so short ones may take less time than in the model.
  // With false, they have the bytes that take their time in the model (wire.hpp).
  bool real_bytes = false;
};

// Holds the input of a replay by SimGrid. Process p runs on the host of rank p % ranks.
struct Traces {
  int ranks = 1;
  std::vector<Trace> processes;  // by process
  // Holds pairs of sender and receiver, which are equal where a rank's processes signal.
  std::set<std::pair<int, int>> routes;
  std::int64_t messages = 0;  // signals left out
};

// Returns the traces of a plan. Kernels and loads compute for as long as their price. Transfers
// pack, exchange one message per peer, and unpack. Collectives run the rounds of collective_rounds.
// Ranks wait for each other only through messages.
// @pre schedules[i].schedule.rank == i, and all schedules are of one plan
Traces rank_traces(std::span<const PricedSchedule> schedules,
                   const Platform& platform,
                   const TraceOptions& options);

}  // namespace cnnplan
