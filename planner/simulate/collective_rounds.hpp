// Writes out one rank's part of a collective as messages with the times of the model.
#pragma once

#include <vector>

#include "planner/cost/group_links.hpp"
#include "planner/platform/platform.hpp"
#include "planner/schedule/schedule.hpp"

namespace cnnplan {

// Describes one message of a rank.
struct RoundMessage {
  int peer = -1;         // rank; -1: none
  double bytes = 0.0;    // as the algorithm sends them
  double seconds = 0.0;  // its time in the model, on a link of its own
};

// Holds the messages that a rank sends and receives at once, and the times before and after them.
struct Round {
  double send_after_s = 0.0;  // before the messages: latencies of further chunks, without bandwidth
  RoundMessage send;
  RoundMessage receive;
  double add_s = 0.0;  // after the messages: adding what was received
};

// Returns the rounds of planner/platform/exchange_rounds.hpp for one rank:
// - A block of a `ring` is one message. It takes as long as its chunks, or as the measured round.
//   The latencies of its chunks, except the first, pass before it.
// - `library` has the rounds of assumed_algorithm(). If it was measured, it has the rounds of
//   recursive doubling, and its halves have the rounds of a ring.
// - The rounds of an algorithm that was measured share its measured time evenly.
// - A reduce-scatter has the first half of the rounds, and an allgather the second half.
// Every send has a receive of its size. @pre `rank` is in operation.group, and `links` are the
// links of this group
std::vector<Round> collective_rounds(const Platform& platform,
                                     const GroupLinks& links,
                                     const CollectiveOperation& operation,
                                     int rank);

}  // namespace cnnplan
