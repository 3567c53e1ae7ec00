// Converts the times of a rank to the clock of rank 0. Messages there and back tell how far the two
// clocks are apart at two moments.
#pragma once

#include <cstdint>
#include <vector>

#include "executor/comm/communicator.hpp"
#include "executor/trace/trace_clock.hpp"
#include "planner/run/measured_steps.hpp"

namespace cnnplan {

// Says how far two clocks were apart at one moment. The offset is off by at most half of the round
// trip (Cristian 1989, "Probabilistic clock synchronization").
struct ClockAnchor {
  std::int64_t own_ns = 0;         // by the rank's clock
  std::int64_t offset_ns = 0;      // the rank's clock less the clock of rank 0
  std::int64_t round_trip_ns = 0;  // of the fastest of some messages, by the clock of rank 0
};

// Sends each rank some messages, one rank after the other. Returns an anchor for each rank on rank
// 0, and nothing on other ranks. This call is collective and blocks.
std::vector<ClockAnchor> measure_anchors(const Communicator& world, const TraceClock& clock);

// Takes the offset to grow evenly from one anchor to the next.
class ClockFit {
 public:
  // @pre the first anchor is earlier, or they are equal
  ClockFit(const ClockAnchor& first, const ClockAnchor& last);

  // Returns what the clock of rank 0 showed when the rank's clock showed `own_ns`.
  std::int64_t common_ns(std::int64_t own_ns) const;
  RankClock summary() const;

 private:
  ClockAnchor first_;
  std::int64_t round_trip_ns_;
  double drift_;
};

}  // namespace cnnplan
