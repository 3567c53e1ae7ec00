// Measures by the host's clock how long the device was busy or idle.
#include "executor/backend/cudnn/clock_warmup.hpp"

#include <utility>

namespace cnnplan::cudnn {
namespace {

// A device that was idle for longer may have lowered its clocks.
constexpr double cold_after_s = 0.5;

}  // namespace

ClockWarmup::ClockWarmup(double busy_s, std::function<double()> now_s)
    : busy_s_(busy_s), now_s_(std::move(now_s)) {}

void ClockWarmup::warm_up(const std::function<void()>& work) {
  const double begin_s = now_s_();
  if (begin_s - last_busy_s_ < cold_after_s) return;
  while (now_s_() - begin_s < busy_s_) work();
  was_busy();
}

}  // namespace cnnplan::cudnn
