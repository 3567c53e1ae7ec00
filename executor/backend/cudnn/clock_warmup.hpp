// Keeps a GPU busy before engines are timed, because it lowers its clocks while it is idle.
#pragma once

#include <functional>
#include <limits>

namespace cnnplan::cudnn {

// Knows when the device was last busy.
class ClockWarmup {
 public:
  // The device counts as warm after `busy_s` seconds of work; with 0, always. `now_s` is a clock.
  ClockWarmup(double busy_s, std::function<double()> now_s);

  // Calls `work` until the device was busy for long enough, or not at all if it was busy a moment
  // ago. `work` keeps the device busy, and blocks until it is done.
  void warm_up(const std::function<void()>& work);
  // Says that the device was busy until now.
  void was_busy() { last_busy_s_ = now_s_(); }

 private:
  double busy_s_;
  std::function<double()> now_s_;
  double last_busy_s_ = -std::numeric_limits<double>::infinity();
};

}  // namespace cnnplan::cudnn
