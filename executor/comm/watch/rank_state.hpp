// Describes what one rank does, as its watchdog tells the others.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "executor/comm/watch/device_fault.hpp"
#include "executor/comm/watch/lasting.hpp"

namespace cnnplan {

// Holds what one rank does at one moment. Ranks are those of the whole program.
struct RankState {
  std::string call;        // the blocking call; empty: it does not wait for other ranks
  std::string activity;    // the operation or phase
  RankList waits_for;      // empty unless it waits
  double unchanged_s = 0;  // since a wait began; without a wait, since the last one or progress
  std::optional<DeviceFault> fault{};  // none: communication of the device works

  bool is_waiting() const { return !call.empty(); }
  bool operator==(const RankState&) const = default;
};

// Holds what a reporter knows of one rank.
struct RankReport {
  std::optional<RankState> state;  // the last answer; none: no answer to this reporter
  double silent_s = 0;             // since the last answer, or the first query if there is none

  // Returns for how long the rank has waited, or has shown no progress, as far as is known.
  double unchanged_s() const { return state ? state->unchanged_s + silent_s : silent_s; }
};

using RankReports = std::vector<RankReport>;  // by rank

}  // namespace cnnplan
