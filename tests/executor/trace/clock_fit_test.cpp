// Tests that offsets and drifts of clocks are found, which the test gives to the ranks.
#include "executor/trace/clock_fit.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <span>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include "tests/executor/trace/skewed_clock.hpp"
#include "tests/relative.hpp"

namespace cnnplan::test {
namespace {

// Reads the steady clock some times, a few milliseconds apart.
std::vector<std::int64_t> readings_ns() {
  constexpr std::chrono::milliseconds pause(7);
  std::vector<std::int64_t> readings;
  for (int i = 0; i < 6; ++i) {
    readings.push_back(TraceClock::steady_ns());
    std::this_thread::sleep_for(pause);
  }
  return readings;
}

}  // namespace

TEST_CASE("ClockFit: between two anchors, the offset grows evenly") {
  const ClockFit fit({.own_ns = 1000, .offset_ns = 100, .round_trip_ns = 6},
                     {.own_ns = 3000, .offset_ns = 120, .round_trip_ns = 8});
  CHECK(fit.common_ns(1000) == 900);
  CHECK(fit.common_ns(2000) == 1890);
  CHECK(fit.common_ns(3000) == 2880);
  CHECK(fit.common_ns(4000) == 3870);
  CHECK(fit.summary().offset_s == relative(1e-7, 1e-12));
  CHECK(fit.summary().drift == relative(0.01, 1e-12));
  CHECK(fit.summary().round_trip_s == relative(8e-9, 1e-12));
}

TEST_CASE("ClockFit: with one anchor, the offset stays") {
  const ClockAnchor anchor{.own_ns = 50, .offset_ns = -7};
  const ClockFit fit(anchor, anchor);
  CHECK(fit.common_ns(50) == 57);
  CHECK(fit.common_ns(1'000'000) == 1'000'007);
}

TEST_CASE("measure_anchors: the clocks of all ranks are found within twice the round trip") {
  const Communicator world = Communicator::world();
  const Skew own = skew_of(world.rank(), world);
  const TraceClock clock(face_of(own));
  const std::vector<ClockAnchor> first = measure_anchors(world, clock);
  const std::vector<std::int64_t> steady = readings_ns();
  const std::vector<ClockAnchor> last = measure_anchors(world, clock);
  const auto all_steady = world.gather(std::span<const std::int64_t>(steady), 0);
  const auto skews = world.gather(std::span<const Skew>(&own, 1), 0);
  REQUIRE(first.size() == all_steady.size());
  for (std::size_t rank = 0; rank < all_steady.size(); ++rank) {
    CAPTURE(rank);
    const ClockFit fit(first[rank], last[rank]);
    const std::int64_t round_trip_ns =
        std::max(first[rank].round_trip_ns, last[rank].round_trip_ns);
    CHECK(round_trip_ns < 100'000'000);  // else this test would accept any clock
    for (const std::int64_t steady_ns : all_steady[rank]) {
      const std::int64_t found_ns = fit.common_ns(skews[rank][0].shown_ns(steady_ns));
      const std::int64_t error_ns = found_ns - skews[0][0].shown_ns(steady_ns);
      CHECK(std::abs(error_ns) <= 2 * round_trip_ns);
    }
  }
}

}  // namespace cnnplan::test
