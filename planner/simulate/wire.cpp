// Replaces the segments of a level by one latency and one bandwidth.
#include "planner/simulate/wire.hpp"

#include <algorithm>
#include <cmath>

namespace cnnplan {
namespace {

// SimGrid needs a bandwidth limit even where the model has none.
constexpr double most_bytes_per_s = 1e15;

double lowest_alpha_s(const std::vector<Segment>& segments) {
  const auto lowest =
      std::min_element(segments.begin(), segments.end(), [](const Segment& a, const Segment& b) {
        return a.alpha_s < b.alpha_s;
      });
  return lowest->alpha_s;
}

}  // namespace

WireLink wire_link(const Level& level) {
  return {
      .latency_s = lowest_alpha_s(level.segments),
      .bytes_per_s = 1.0 / std::max(1.0 / most_bytes_per_s, level.segments.back().beta_s_per_byte),
      .duplex_factor = std::clamp(level.duplex_factor, 1.0, 2.0)};
}

std::int64_t wire_bytes(const Level& level, double seconds) {
  const WireLink link = wire_link(level);
  return std::max<std::int64_t>(1, std::llround((seconds - link.latency_s) * link.bytes_per_s));
}

double alone_s(const Level& level, double seconds, int sharing) {
  const WireLink link = wire_link(level);
  return link.latency_s + (seconds - link.latency_s) / (link.duplex_factor * sharing);
}

}  // namespace cnnplan
