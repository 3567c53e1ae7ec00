// Takes the fastest of some round trips, because its way there and back can differ least.
#include "executor/trace/clock_fit.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>

#include "executor/comm/point_to_point.hpp"

namespace cnnplan {
namespace {

// One in some tens of round trips is usually undisturbed.
constexpr int rounds = 100;

std::span<std::byte> bytes_of(std::int64_t& value) {
  return std::as_writable_bytes(std::span(&value, 1));
}

// Runs on rank 0, while the other rank answers.
ClockAnchor ask(const Communicator& world, const TraceClock& clock, int rank) {
  ClockAnchor best{.round_trip_ns = std::numeric_limits<std::int64_t>::max()};
  for (int round = 0; round < rounds; ++round) {
    std::int64_t sent_ns = clock.now_ns();
    send(world, bytes_of(sent_ns), rank);
    std::int64_t own_ns = 0;
    receive(world, bytes_of(own_ns), rank);
    const std::int64_t round_trip_ns = clock.now_ns() - sent_ns;
    if (round_trip_ns >= best.round_trip_ns) continue;
    best = {.own_ns = own_ns,
            .offset_ns = own_ns - (sent_ns + round_trip_ns / 2),
            .round_trip_ns = round_trip_ns};
  }
  return best;
}

void answer(const Communicator& world, const TraceClock& clock) {
  for (int round = 0; round < rounds; ++round) {
    std::int64_t sent_ns = 0;
    receive(world, bytes_of(sent_ns), 0);
    std::int64_t own_ns = clock.now_ns();
    send(world, bytes_of(own_ns), 0);
  }
}

}  // namespace

std::vector<ClockAnchor> measure_anchors(const Communicator& world, const TraceClock& clock) {
  if (world.rank() != 0) {
    answer(world, clock);
    return {};
  }
  std::vector<ClockAnchor> anchors{{.own_ns = clock.now_ns()}};
  for (int rank = 1; rank < world.size(); ++rank) anchors.push_back(ask(world, clock, rank));
  return anchors;
}

ClockFit::ClockFit(const ClockAnchor& first, const ClockAnchor& last)
    : first_(first), round_trip_ns_(std::max(first.round_trip_ns, last.round_trip_ns)) {
  const std::int64_t between_ns = last.own_ns - first.own_ns;
  const auto growth_ns = static_cast<double>(last.offset_ns - first.offset_ns);
  drift_ = between_ns > 0 ? growth_ns / static_cast<double>(between_ns) : 0.0;
}

std::int64_t ClockFit::common_ns(std::int64_t own_ns) const {
  const auto since_ns = static_cast<double>(own_ns - first_.own_ns);
  return own_ns - first_.offset_ns - std::llround(drift_ * since_ns);
}

RankClock ClockFit::summary() const {
  constexpr double s_per_ns = 1e-9;
  return {.offset_s = s_per_ns * static_cast<double>(first_.offset_ns),
          .drift = drift_,
          .round_trip_s = s_per_ns * static_cast<double>(round_trip_ns_)};
}

}  // namespace cnnplan
