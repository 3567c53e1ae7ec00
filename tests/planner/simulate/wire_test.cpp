// Tests which bytes and which link of SimGrid stand for a message of the model.
#include "planner/simulate/wire.hpp"

#include <doctest/doctest.h>

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

TEST_CASE("Wire: a link that costs nothing per byte still has a bandwidth") {
  Level level = two_nodes().levels[1];
  level.segments[0].beta_s_per_byte = 0.0;
  CHECK(wire_link(level).bytes_per_s == relative(1e15));
}

}  // namespace cnnplan::test
