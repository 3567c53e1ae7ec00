// Compares each view of the record with the one before it.
#include "executor/comm/watch/state_watch.hpp"

namespace cnnplan {

RankState StateWatch::state_of(const WaitView& view, double now_s) {
  const bool got_on = !view.is_waiting() && view.signs != last_.signs;
  if (!has_seen_ || view.changes != last_.changes || got_on) changed_s_ = now_s;
  has_seen_ = true;
  last_ = view;
  RankState state{.unchanged_s = now_s - changed_s_};
  if (view.activity != nullptr) state.activity = *view.activity;
  state.fault = view.fault;
  if (!view.is_waiting()) return state;
  state.call = view.call;
  state.waits_for = *view.peers;
  return state;
}

}  // namespace cnnplan
