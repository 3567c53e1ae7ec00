// Takes measured exchanges where a level has them, and the duplex factor elsewhere.
#include "planner/platform/exchange_times.hpp"

#include <algorithm>

namespace cnnplan {

ExchangeTimes exchange_times(const Level& level) {
  if (level.exchange_segments.empty()) return {level.segments, level.duplex_factor};
  return {level.exchange_segments, 1.0};
}

DirectionTime direction_time(const Level& level, double bytes) {
  const ExchangeTimes exchange = exchange_times(level);
  return {.alone_s = segment_time_s(level.segments, bytes),
          .exchanged_s = exchange.factor * segment_time_s(exchange.segments, bytes)};
}

double both_ways_s(const Level& level, const DirectionTime& sends, const DirectionTime& receives) {
  const auto& [shorter, longer] = std::minmax(sends, receives);
  const double seconds = shorter.exchanged_s + (longer.alone_s - shorter.alone_s);
  if (level.exchange_segments.empty()) return seconds;
  // A measured exchange may take less than one of its messages.
  return std::max(seconds, std::min(longer.alone_s, longer.exchanged_s));
}

std::vector<double> segment_ends(const Level& level) {
  std::vector<double> ends;
  for (const auto* segments : {&level.segments, &level.exchange_segments}) {
    for (const Segment& segment : *segments) {
      ends.push_back(static_cast<double>(segment.max_bytes));
    }
  }
  return ends;
}

std::vector<double> duplex_factors(const Level& level) {
  if (level.exchange_segments.empty()) return {level.duplex_factor};
  std::vector<double> sizes = segment_ends(level);
  sizes.insert(sizes.begin(), 1.0);
  std::vector<double> factors;
  for (const double bytes : sizes) {
    const DirectionTime time = direction_time(level, bytes);
    if (time.alone_s > 0.0 && time.exchanged_s > 0.0)
      factors.push_back(time.exchanged_s / time.alone_s);
  }
  return factors;
}

}  // namespace cnnplan
