// Reads the clock of a rank, by which its trace counts.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <utility>

namespace cnnplan {

// Turns the steady clock's nanoseconds into those that this rank's clock shows. Tests give ranks
// clocks that differ, as the clocks of nodes do.
using ClockFace = std::function<std::int64_t(std::int64_t steady_ns)>;

class TraceClock {
 public:
  // An empty face shows the steady clock's time.
  explicit TraceClock(ClockFace face = {}) : face_(std::move(face)) {}

  static std::int64_t steady_ns() {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
  }
  std::int64_t shown_ns(std::int64_t steady_ns) const {
    return face_ ? face_(steady_ns) : steady_ns;
  }
  std::int64_t now_ns() const { return shown_ns(steady_ns()); }

 private:
  ClockFace face_;
};

}  // namespace cnnplan
