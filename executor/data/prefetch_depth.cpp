// Looks at windows of steps and decides after each window whether to add a thread.
#include "executor/data/prefetch_depth.hpp"

namespace cnnplan {

bool PrefetchDepth::record(double wait_s, double step_s) {
  wait_s_ += wait_s;
  step_s_ += step_s;
  ++steps_;
  if (steps_ <= skipped_steps) return false;
  window_wait_s_ += wait_s;
  window_step_s_ += step_s;
  if (steps_ < skipped_steps + looked_at_steps) return false;
  const bool more = wants_more(window_step_s_ > 0.0 ? window_wait_s_ / window_step_s_ : 0.0);
  steps_ = more ? 0 : skipped_steps;
  window_wait_s_ = window_step_s_ = 0.0;
  if (more) ++threads_;
  return more;
}

bool PrefetchDepth::wants_more(double share) {
  if (!helps_ || threads_ == most_ || share <= tolerated_share) return false;
  if (threads_ > 1) helps_ = share < helpful_factor * last_share_;
  last_share_ = share;
  return helps_;
}

}  // namespace cnnplan
