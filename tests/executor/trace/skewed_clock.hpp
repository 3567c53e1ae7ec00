// Gives each rank a clock of its own, as ranks on several nodes have one.
#pragma once

#include <cmath>
#include <cstdint>

#include "executor/comm/communicator.hpp"
#include "executor/trace/trace_clock.hpp"

namespace cnnplan::test {

// A clock shows the steady clock's time, plus an offset that grows.
struct Skew {
  std::int64_t offset_ns = 0;  // at the origin
  double drift = 0.0;
  std::int64_t origin_ns = 0;  // by the steady clock

  std::int64_t shown_ns(std::int64_t steady_ns) const {
    const auto since_ns = static_cast<double>(steady_ns - origin_ns);
    return steady_ns + offset_ns + std::llround(drift * since_ns);
  }
};

// Returns the skew of a rank. Clocks are seconds apart, and drift more than those of computers.
// This call is collective. All ranks of a node share the steady clock.
inline Skew skew_of(int rank, const Communicator& world) {
  const std::int64_t origin_ns = world.broadcast(TraceClock::steady_ns(), 0);
  const std::int64_t sign = rank % 2 == 0 ? 1 : -1;
  return {.offset_ns = sign * (3 + rank) * 1'500'000'000,
          .drift = 1e-3 * static_cast<double>(1 + rank),
          .origin_ns = origin_ns};
}

inline ClockFace face_of(const Skew& skew) {
  return [skew](std::int64_t steady_ns) { return skew.shown_ns(steady_ns); };
}

}  // namespace cnnplan::test
