// Maps the model's messages to the links of SimGrid. A level of the platform has a latency and a
// bandwidth for every range of message sizes, and a link of SimGrid has one of each. The link gets
// the lowest latency and the bandwidth of the longest messages. A message is written with the
// number of bytes that gives it its time in the model: alpha_s + bytes * beta_s_per_byte of its
// segment.
//
// Messages of both directions share a third link, which makes an exchange slower by one factor. A
// level with measured exchanges has a factor for every size, so the link gets the factor of the
// longest messages. A message of an exchange is written with the bytes that give the exchange its
// time in the model. SimGrid cannot know the size of a message on the way. So the factor of the
// longest messages counts where a message meets messages of other peers.
#pragma once

#include <cstdint>

#include "planner/platform/platform.hpp"

namespace cnnplan {

// Describes a link of SimGrid.
struct WireLink {
  double latency_s = 0.0;
  double bytes_per_s = 0.0;
  // Says how many times slower a message is while equally many bytes come the other way, in [1, 2].
  double duplex_factor = 1.0;
  bool operator==(const WireLink&) const = default;
};

// Returns the link of one port of `level`. Its duplex factor is that of the longest messages. A
// factor below 1 counts as 1. One above 2 counts as 2, with which both directions share the
// bandwidth.
// @pre `level` has segments, here and below
WireLink wire_link(const Level& level);

// Returns the bytes that take `seconds` on an otherwise idle link of `level`, at least 1.
std::int64_t wire_bytes(const Level& level, double seconds);

// Returns how long a message takes on an idle link if it takes `seconds` while its link is busy in
// both directions, each of which has `sharing` such messages.
double alone_s(const Level& level, double seconds, int sharing = 1);

// Returns how long a message takes on an idle link if the segments of exchange_times() give it
// `seconds`. Measured exchanges include messages the other way, and these are on the link already.
double one_way_s(const Level& level, double seconds);

// Returns how long a message to a peer takes on an idle link, if the peer sends a message of
// `opposite_bytes` back in the same transfer. 0 bytes stand for no message.
double transfer_message_s(const Level& level, double bytes, double opposite_bytes);

}  // namespace cnnplan
