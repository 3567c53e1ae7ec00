// Replays traces without time, to find who sends what to whom, and whether all processes end.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace cnnplan::test {

struct TraceRun {
  bool ends = false;                     // no process waits for ever
  bool same_bytes = true;                // every receive expects what is sent to it
  int left_over = 0;                     // messages that nobody received
  std::vector<std::int64_t> sent_bytes;  // by process
  std::vector<double> flops;             // by process
};

// Runs the texts of all traces. Sends never wait, and messages of a pair and tag keep their order.
// @throws runtime_error for an unknown action
TraceRun run_traces(const std::vector<std::string>& traces);

}  // namespace cnnplan::test
