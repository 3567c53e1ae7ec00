// Counts the time in which this process could run, so that a suspended process does not age.
#pragma once

#include <algorithm>
#include <cmath>

namespace cnnplan {

// Adds up the time between looks at a clock, but only a second of a long gap.
class WatchClock {
 public:
  // A process that does not look at the clock for longer was suspended, or had no core.
  static constexpr double most_gap_s = 1.0;

  // Takes the time of a steady clock. The first call starts the count. Of a longer gap between two
  // calls, only most_gap_s count.
  void look(double steady_s) {
    if (is_running_) now_s_ += std::clamp(steady_s - last_s_, 0.0, most_gap_s);
    is_running_ = true;
    last_s_ = steady_s;
  }
  // Returns the time that has counted up to the last look.
  double now_s() const { return now_s_; }

 private:
  bool is_running_ = false;
  double last_s_ = 0;
  double now_s_ = 0;
};

}  // namespace cnnplan
