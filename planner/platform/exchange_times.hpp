// Says how long messages take while other messages come the other way. All costs use these times.
#pragma once

#include <compare>
#include <vector>

#include "planner/platform/platform.hpp"

namespace cnnplan {

// Holds the times of messages while equally many bytes come the other way. Such a message takes
// factor * (alpha_s + bytes * beta_s_per_byte) of its segment.
struct ExchangeTimes {
  const std::vector<Segment>& segments;
  double factor = 1.0;
};
// Returns the measured exchanges of a level, if it has any. Otherwise, an exchange takes
// duplex_factor times as long as a message. The level must outlive the result.
ExchangeTimes exchange_times(const Level& level);

// Holds the time of the messages of one direction, without and with messages the other way.
struct DirectionTime {
  double alone_s = 0.0;
  double exchanged_s = 0.0;
  auto operator<=>(const DirectionTime&) const = default;
};
// Returns the times of a single message. @pre bytes > 0
DirectionTime direction_time(const Level& level, double bytes);

// Returns the time until sends and receives that begin together are over. While both run, they take
// as long as in an exchange. The rest of the longer direction has the link for itself. The result
// is at least the time of each direction, alone or exchanged, whichever is shorter.
double both_ways_s(const Level& level, const DirectionTime& sends, const DirectionTime& receives);

// Returns the sizes at which segments of messages or of exchanges end, in the order of the level.
std::vector<double> segment_ends(const Level& level);

// Returns how many times as long as a message an exchange takes. Measured exchanges have a factor
// for the shortest message, and for each size at which a segment ends. A size whose message or
// exchange takes no time is left out.
std::vector<double> duplex_factors(const Level& level);

}  // namespace cnnplan
