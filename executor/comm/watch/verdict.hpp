// Decides from the states of all ranks whether one of them is lost, and which one was first.
#pragma once

#include "executor/comm/watch/rank_state.hpp"

namespace cnnplan {

// Names what is wrong with the rank that others wait for, the culprit.
enum class Fault {
  none,      // nobody waits too long, or the rank that others wait for gets on
  silent,    // the watchdog of the culprit does not answer: stopped, killed, or out of reach
  stuck,     // the culprit waits for nobody and gives no sign of progress
  failed,    // communication of the culprit's device failed, and all ranks answer
  deadlock,  // all ranks that are waited for wait themselves; the culprit has waited longest
};

// Names the first rank that was lost, if one was.
struct WaitVerdict {
  Fault fault = Fault::none;
  int culprit = -1;  // a rank
  int waiter = -1;   // the rank that waits, directly or through other ranks, for the culprit

  bool operator==(const WaitVerdict&) const = default;
};

// Says which waits are too long.
struct WaitLimits {
  double wait_s = 0;    // waits of this length are too long, and so is local work without progress
  double silent_s = 0;  // a rank that has not answered for this time is silent
};

// Judges what a reporter knows of all ranks. It begins with the ranks that wait too long, the
// longest wait first, and goes on to the ranks that they wait for, up to ranks that wait for
// nobody. Among all ranks that it meets, a silent rank is the culprit before a stuck one. A rank
// that computes and gets on is no culprit, and neither is any rank that waits for it. Where every
// rank that it meets waits too long, they are in a deadlock.
// A rank that reports a fault of its device needs no wait that is too long. The culprit is then a
// silent rank, because its loss may be the reason. Once all ranks have answered, it is the rank
// with the fault. A rank whose fault is elsewhere is never the culprit for its fault.
WaitVerdict judge(const RankReports& reports, const WaitLimits& limits);

}  // namespace cnnplan
