// Follows the record of this process, and says for how long it has not changed.
#pragma once

#include "executor/comm/watch/rank_state.hpp"
#include "executor/comm/watch/wait_record.hpp"

namespace cnnplan {

// Adds times to the views of a WaitRecord. The record itself holds no times, because reading a
// clock takes longer than the rest of a write. The watchdog looks often, so it knows the age of a
// wait up to the interval between two looks.
class StateWatch {
 public:
  // Returns the state of this process at the time `now_s` of the watchdog's clock. Call it for each
  // look, in order of time. Signs of progress do not make a wait younger.
  RankState state_of(const WaitView& view, double now_s);

 private:
  WaitView last_;
  bool has_seen_ = false;
  double changed_s_ = 0;
};

}  // namespace cnnplan
