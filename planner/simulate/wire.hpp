// The model's messages on the links of SimGrid. A level of the platform has a latency and a
// bandwidth for every range of message sizes, a link of SimGrid one of each. The link gets the
// lowest latency and the bandwidth of the longest messages, and a message is written with as many
// bytes as make it take its time: alpha_s + bytes * beta_s_per_byte of its own segment.
#pragma once

#include <cstdint>

#include "planner/platform/platform.hpp"

namespace cnnplan {

struct WireLink {
  double latency_s = 0.0;
  double bytes_per_s = 0.0;
  // Between 1 and 2: how much slower a message is while as many bytes come the other way.
  double duplex_factor = 1.0;
  bool operator==(const WireLink&) const = default;
};

// One rank's link to the ranks that `level` connects it with.
// A duplex factor below 1 counts as 1, one above 2 as 2: no link is slower than one way at a time.
WireLink wire_link(const Level& level);

// Bytes that take `seconds` on a link of `level` that carries nothing else; at least 1.
std::int64_t wire_bytes(const Level& level, double seconds);

// Time alone of a message that takes `seconds` while its link is busy in both directions, each with
// `sharing` such messages.
double alone_s(const Level& level, double seconds, int sharing = 1);

}  // namespace cnnplan
