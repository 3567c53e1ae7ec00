// Repeats a function on all ranks of a group until its time is known.
#pragma once

#include <functional>
#include <limits>
#include <vector>

#include "executor/comm/communicator.hpp"
#include "planner/run/statistics.hpp"

namespace cnnplan {

// Returns seconds on a clock that never goes back.
double now_s();

// A median needs this many repetitions, however long they take.
inline constexpr int fewest_repetitions = 3;

// Says how often a body is repeated: for the budget, but within the limits.
struct RepetitionOptions {
  double budget_s = 0.05;  // for the repetitions that count
  // All repetitions of all bodies together take at most this time, even if they are then fewer than
  // least_repetitions, but never fewer than fewest_repetitions.
  double most_s = std::numeric_limits<double>::infinity();
  double sample_s = 20e-6;  // shorter bodies run several times within one repetition
  int least_repetitions = 10;
  int most_repetitions = 500;
  std::function<double()> clock_s = now_s;  // returns seconds
};

// Runs `body` a few times to touch and warm its memory, then in repetitions that begin together. A
// repetition takes as long as its slowest rank. Returns the seconds of one run. This call is
// collective over `group` and blocks; all ranks get equal results.
Statistics time_repeatedly(const Communicator& group,
                           const RepetitionOptions& options,
                           const std::function<void()>& body);

// Holds a function that is timed.
struct TimedBody {
  std::function<void()> run;
  std::function<void()> prepare;  // before each repetition, not timed; may be empty
};

// Times `bodies` in turns, one repetition each, so that disturbances affect all of them equally.
// Each has as many repetitions as the body that needs most. Returns the seconds of one run for each
// body, in their order. It is collective as time_repeatedly().
std::vector<Statistics> time_interleaved(const Communicator& group,
                                         const RepetitionOptions& options,
                                         const std::vector<TimedBody>& bodies);

}  // namespace cnnplan
