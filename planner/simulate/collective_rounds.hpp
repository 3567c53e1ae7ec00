// A collective written out as messages, one rank's part.
#pragma once

#include <vector>

#include "planner/platform/platform.hpp"
#include "planner/schedule/schedule.hpp"

namespace cnnplan {

struct RoundMessage {
  int peer = -1;         // rank; -1: none
  double bytes = 0.0;    // that the algorithm sends
  double seconds = 0.0;  // that the model gives it on a link of its own
};

// What is sent and received at once, and the work on it afterwards.
struct Round {
  RoundMessage send;
  RoundMessage receive;
  double add_s = 0.0;
};

// `ring`: the 2(p-1) steps of the executor's ring, each block one message that takes as long as its
// chunks, or as a step was measured. Algorithms in rounds: those of
// planner/platform/exchange_rounds.hpp. `library`: recursive doubling, Rabenseifner's or the ring,
// whichever the model takes it to be. Where the time of an algorithm was measured, its rounds share
// it evenly (of `library`: those of recursive doubling). A reduce-scatter is the first half of a
// ring's rounds, an allgather the second. Every send has a receive of the same size.
// @pre `rank` is in operation.group
std::vector<Round> collective_rounds(const Platform& platform,
                                     const CollectiveOperation& operation,
                                     int rank);

}  // namespace cnnplan
