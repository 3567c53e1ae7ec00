// Tests when a device is kept busy before a trial, with a clock of the test.
#include "executor/backend/cudnn/clock_warmup.hpp"

#include <doctest/doctest.h>

namespace cnnplan::test {

TEST_CASE("ClockWarmup: works for its time first, and again only after the device was idle") {
  double now_s = 100.0;
  int works = 0;
  cudnn::ClockWarmup clocks(0.3, [&] { return now_s; });
  const auto work = [&] {
    ++works;
    now_s += 0.125;
  };
  clocks.warm_up(work);
  CHECK(works == 3);
  now_s += 0.25;
  clocks.warm_up(work);
  CHECK(works == 3);
  now_s += 0.25;  // 0.5 s after the work
  clocks.warm_up(work);
  CHECK(works == 6);
  now_s += 0.4;
  clocks.was_busy();
  now_s += 0.4;
  clocks.warm_up(work);
  CHECK(works == 6);
}

TEST_CASE("ClockWarmup: without a time it never works") {
  cudnn::ClockWarmup clocks(0.0, [] { return 0.0; });
  clocks.warm_up([] { FAIL("worked"); });
}

}  // namespace cnnplan::test
