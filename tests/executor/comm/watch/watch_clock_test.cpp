// Tests that the time of a suspended process does not count.
#include "executor/comm/watch/watch_clock.hpp"

#include <doctest/doctest.h>

namespace cnnplan {
namespace {

TEST_CASE("WatchClock: counts the time between looks") {
  WatchClock clock;
  clock.look(1000.0);
  CHECK(clock.now_s() == 0.0);
  clock.look(1000.25);
  clock.look(1001.0);
  CHECK(clock.now_s() == 1.0);
}

TEST_CASE("WatchClock: a process that was suspended for an hour ages by one look") {
  WatchClock clock;
  clock.look(10.0);
  clock.look(10.5);
  clock.look(3610.5);
  CHECK(clock.now_s() == 0.5 + WatchClock::most_gap_s);
  clock.look(3610.75);
  CHECK(clock.now_s() == 0.75 + WatchClock::most_gap_s);
}

TEST_CASE("WatchClock: never goes back") {
  WatchClock clock;
  clock.look(10.0);
  clock.look(9.0);
  CHECK(clock.now_s() == 0.0);
}

}  // namespace
}  // namespace cnnplan
