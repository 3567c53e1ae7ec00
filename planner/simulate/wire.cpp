// Replaces the segments of a level by one latency and one bandwidth.
#include "planner/simulate/wire.hpp"

#include <algorithm>
#include <cmath>

#include "planner/platform/exchange_times.hpp"

namespace cnnplan {
namespace {

// SimGrid needs a bandwidth limit even where the model has none.
constexpr double most_bytes_per_s = 1e15;

double lowest_alpha_s(const Level& level) {
  double lowest_s = level.segments.front().alpha_s;
  for (const auto* segments : {&level.segments, &level.exchange_segments}) {
    for (const Segment& segment : *segments) lowest_s = std::min(lowest_s, segment.alpha_s);
  }
  return lowest_s;
}

double longest_message_factor(const Level& level) {
  if (level.exchange_segments.empty()) return level.duplex_factor;
  const double message = level.segments.back().beta_s_per_byte;
  return message > 0.0 ? level.exchange_segments.back().beta_s_per_byte / message : 1.0;
}

}  // namespace

WireLink wire_link(const Level& level) {
  return {
      .latency_s = lowest_alpha_s(level),
      .bytes_per_s = 1.0 / std::max(1.0 / most_bytes_per_s, level.segments.back().beta_s_per_byte),
      .duplex_factor = std::clamp(longest_message_factor(level), 1.0, 2.0)};
}

std::int64_t wire_bytes(const Level& level, double seconds) {
  const WireLink link = wire_link(level);
  return std::max<std::int64_t>(1, std::llround((seconds - link.latency_s) * link.bytes_per_s));
}

double alone_s(const Level& level, double seconds, int sharing) {
  const WireLink link = wire_link(level);
  return link.latency_s + (seconds - link.latency_s) / (link.duplex_factor * sharing);
}

double one_way_s(const Level& level, double seconds) {
  return level.exchange_segments.empty() ? seconds : alone_s(level, seconds);
}

// While both messages are on the link, the shorter one takes `factor` times as long as alone. Then
// the rest of the longer one passes alone.
double transfer_message_s(const Level& level, double bytes, double opposite_bytes) {
  const DirectionTime own = direction_time(level, bytes);
  if (level.exchange_segments.empty() || opposite_bytes <= 0.0) return own.alone_s;
  const DirectionTime opposite = direction_time(level, opposite_bytes);
  const double shorter_s = alone_s(level, std::min(own, opposite).exchanged_s);
  if (own <= opposite) return shorter_s;
  const WireLink link = wire_link(level);
  return both_ways_s(level, own, opposite) -
         (link.duplex_factor - 1.0) * (shorter_s - link.latency_s);
}

}  // namespace cnnplan
