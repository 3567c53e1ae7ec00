// Follows the record of this process, and says for how long it has not changed.
#pragma once

#include "executor/comm/watch/rank_state.hpp"
#include "executor/comm/watch/wait_record.hpp"

namespace cnnplan {

// The record holds no times, because reading a clock takes longer than the rest of a write. The
// watchdog looks often, so it knows the age of a wait as exactly as it looks.
class StateWatch {
 public:
  // Returns the state at the time `now_s` of the watchdog's clock. A wait ages until it ends, also
  // while threads give signs of progress.
  RankState state_of(const WaitView& view, double now_s);

 private:
  WaitView last_;
  bool has_seen_ = false;
  double changed_s_ = 0;
};

}  // namespace cnnplan
