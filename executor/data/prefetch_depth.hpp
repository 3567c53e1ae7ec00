// How many threads read ahead: as many as keep steps from waiting.
#pragma once

namespace cnnplan {

// Looks at some steps, adds a thread where they waited for data, and stops adding when the last one
// did not help.
class PrefetchDepth {
 public:
  // @pre most >= 1
  explicit PrefetchDepth(int most) : most_(most) {}

  // Of the step before: how long it waited for its data, and how long it took in all. True where
  // another thread is wanted, which counts as there from then on.
  bool record(double wait_s, double step_s);

  int threads() const { return threads_; }
  // Of the time of all steps, what was spent waiting.
  double waited_share() const { return step_s_ > 0.0 ? wait_s_ / step_s_ : 0.0; }

 private:
  static constexpr int skipped_steps = 2;  // after a change: what is read then began before it
  static constexpr int looked_at_steps = 8;
  static constexpr double tolerated_share = 0.01;
  static constexpr double helpful_factor = 0.9;

  bool wants_more(double share);

  int most_;
  int threads_ = 1;
  int steps_ = 0;  // since the last decision
  double window_wait_s_ = 0.0;
  double window_step_s_ = 0.0;
  double last_share_ = 1.0;  // before the last thread was added
  bool helps_ = true;
  double wait_s_ = 0.0;
  double step_s_ = 0.0;
};

}  // namespace cnnplan
