// Tests the form of points in time.
#include "planner/run/utc_time.hpp"

#include <doctest/doctest.h>

namespace cnnplan {

TEST_CASE("utc_text: times are UTC, with two digits each") {
  CHECK(utc_text(0) == "1970-01-01T00:00:00Z");
  CHECK(utc_text(951782400 + 3723) == "2000-02-29T01:02:03Z");
  CHECK(utc_text(1796000000) == "2026-11-30T00:53:20Z");
}

}  // namespace cnnplan
