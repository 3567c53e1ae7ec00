// Tests that a number of bytes is written in the largest unit of which there is one.
#include "planner/base/bytes_text.hpp"

#include <doctest/doctest.h>

namespace cnnplan {

TEST_CASE("bytes_text: uses the largest unit of which there is at least one") {
  CHECK(bytes_text(1023) == "1023 B");
  CHECK(bytes_text(1536) == "1.50 KiB");
  CHECK(bytes_text(std::int64_t{3} << 30) == "3.00 GiB");
  CHECK(bytes_text(-2048) == "-2.00 KiB");
  CHECK(bytes_text(std::int64_t{1} << 52) == "4096.00 TiB");
}

TEST_CASE("counted: one thing has no s") {
  CHECK(counted(0, "rank") == "0 ranks");
  CHECK(counted(1, "busy rank") == "1 busy rank");
  CHECK(counted(2, "rank") == "2 ranks");
}

}  // namespace cnnplan
