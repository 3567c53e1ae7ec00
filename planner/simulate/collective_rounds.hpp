// Writes out one rank's part of a collective as messages with the times of the model.
#pragma once

#include <vector>

#include "planner/cost/group_links.hpp"
#include "planner/platform/platform.hpp"
#include "planner/schedule/schedule.hpp"

namespace cnnplan {

struct RoundMessage {
  int peer = -1;         // rank; -1: none
  double bytes = 0.0;    // as the algorithm sends them
  double seconds = 0.0;  // its time in the model, on a link of its own
};

// Holds the messages that a rank sends and receives at once, and the times before and after them.
struct Round {
  double send_after_s = 0.0;  // latencies of further chunks, which take no bandwidth
  RoundMessage send;
  RoundMessage receive;
  double add_s = 0.0;
};

// Returns the rounds of planner/platform/exchange_rounds.hpp. A block of a `ring` is one message
// that takes as long as its chunks, or as a step was measured. The latencies of its chunks, except
// the first, pass before it. `library` has the rounds of the
// algorithm that the model takes it to be. Where the time of an algorithm was measured, its rounds
// share it evenly; the measured library has the rounds of recursive doubling, its halves those of a
// ring. A reduce-scatter is the first half of the rounds, an allgather the second. Every send has a
// receive of its size. @pre `rank` is in operation.group, and `links` are the group's
std::vector<Round> collective_rounds(const Platform& platform,
                                     const GroupLinks& links,
                                     const CollectiveOperation& operation,
                                     int rank);

}  // namespace cnnplan
