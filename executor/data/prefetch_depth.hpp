// Decides how many threads read ahead, so that steps rarely wait for data.
#pragma once

namespace cnnplan {

// Begins with one thread. It watches a number of steps and adds a thread if more than a hundredth
// of their time was spent waiting for data. It stops for good when the last added thread did not
// reduce this share by a tenth.
class PrefetchDepth {
 public:
  // There will be at most `most` threads. @pre most >= 1
  explicit PrefetchDepth(int most) : most_(most) {}

  // Takes how long the last step waited for its data and how long it took in total. True means that
  // another thread should start; threads() then already counts it.
  bool record(double wait_s, double step_s);

  // Returns the number of threads that should run.
  int threads() const { return threads_; }
  // Returns the share of the time of all recorded steps that was spent waiting.
  double waited_share() const { return step_s_ > 0.0 ? wait_s_ / step_s_ : 0.0; }

 private:
  static constexpr int skipped_steps = 2;  // after a change, because their reads began before it
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
