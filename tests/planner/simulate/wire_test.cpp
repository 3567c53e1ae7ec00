// Tests which bytes and which link of SimGrid stand for a message of the model.
#include "planner/simulate/wire.hpp"

#include <utility>

#include <doctest/doctest.h>

#include "planner/platform/exchange_times.hpp"
#include "tests/planner/simulate/two_nodes.hpp"
#include "tests/relative.hpp"

namespace cnnplan::test {

TEST_CASE("Wire: a link has the lowest latency and the bandwidth of long messages") {
  const WireLink link = wire_link(two_nodes().levels[0]);
  CHECK(link.latency_s == 1e-6);
  CHECK(link.bytes_per_s == relative(1e10));
  CHECK(link.duplex_factor == 1.0);
}

TEST_CASE("Wire: with one segment a message keeps its bytes") {
  const Level level = two_nodes().levels[1];
  for (double bytes : {1.0, 1000.0, 1e8}) {
    CHECK(wire_bytes(level, segment_time_s(level.segments, bytes)) == bytes);
  }
}

TEST_CASE("Wire: with several segments a message keeps its time") {
  const Level level = two_nodes().levels[0];
  const WireLink link = wire_link(level);
  for (double bytes : {100.0, 1000.0, 1001.0, 5e6}) {
    const double seconds = segment_time_s(level.segments, bytes);
    const auto on_wire = static_cast<double>(wire_bytes(level, seconds));
    CHECK(link.latency_s + on_wire / link.bytes_per_s == relative(seconds, 1e-3));
  }
}

TEST_CASE("Wire: no message is shorter than a byte") {
  CHECK(wire_bytes(two_nodes().levels[0], 0.0) == 1);
}

TEST_CASE("Wire: duplex factors lie between a link for each direction and one for both") {
  Level level = two_nodes().levels[1];
  for (const auto& [factor, taken] : {std::pair(0.9, 1.0), {1.0, 1.0}, {1.5, 1.5}, {7.0, 2.0}}) {
    level.duplex_factor = factor;
    CHECK(wire_link(level).duplex_factor == taken);
    CHECK(alone_s(level, 10e-6 + taken * 1e-3) == relative(10e-6 + 1e-3));
    CHECK(alone_s(level, 10e-6 + 3 * taken * 1e-3, 3) == relative(10e-6 + 1e-3));
  }
}

TEST_CASE("Wire: on links with measured exchanges, pairs of messages take the time of the model") {
  Level level = two_nodes().levels[1];
  level.segments = {{1000, 10e-6, 1e-9}, {any_size, 20e-6, 2e-9}};
  level.exchange_segments = {{2000, 8e-6, 1.5e-9}, {any_size, 30e-6, 3.6e-9}};
  const WireLink link = wire_link(level);
  CHECK(link.latency_s == 8e-6);
  CHECK(link.duplex_factor == relative(1.8));
  for (const auto& [bytes, opposite] : {std::pair(500.0, 500.0), {1e5, 1e5}, {1e5, 500.0}}) {
    // Both messages are slower while the shorter one is on the link.
    const double longer_s = transfer_message_s(level, bytes, opposite) - link.latency_s;
    const double shorter_s = transfer_message_s(level, opposite, bytes) - link.latency_s;
    const double wire_s = link.latency_s + link.duplex_factor * shorter_s + (longer_s - shorter_s);
    const double model_s =
        both_ways_s(level, direction_time(level, bytes), direction_time(level, opposite));
    CHECK(wire_s == relative(model_s));
  }
  CHECK(transfer_message_s(level, 500.0, 0.0) == relative(10e-6 + 500e-9));
  CHECK(one_way_s(level, 8e-6 + 18e-6) == relative(8e-6 + 10e-6));
}

TEST_CASE("Wire: a link that costs nothing per byte still has a bandwidth") {
  Level level = two_nodes().levels[1];
  level.segments[0].beta_s_per_byte = 0.0;
  CHECK(wire_link(level).bytes_per_s == relative(1e15));
}

}  // namespace cnnplan::test
