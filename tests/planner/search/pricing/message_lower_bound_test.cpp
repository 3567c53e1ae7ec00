// Checks the lower bound on the time of a message.
#include "planner/search/pricing/message_lower_bound.hpp"

#include <doctest/doctest.h>

#include "planner/cost/links.hpp"
#include "tests/relative.hpp"

namespace cnnplan::test {
namespace {

// Four ranks that share one link.
Platform one_port() {
  Platform platform = default_platform(4);
  platform.levels[0].shared_by = 4;
  return platform;
}

Box floats(std::int64_t count) {
  Box box;
  for (Range& range : box.ranges) range = {0, 1};
  box[Dim::w] = {0, count};
  return box;
}

}  // namespace

TEST_CASE(
    "MessageLowerBound: no less than a message takes that has its port for itself, and no more") {
  const Platform platform = one_port();
  const TransferList list{.sends = {}, .receives = {{.peer = 1, .box = floats(1000)}}};
  const ListOf nobody = [](int) { return TransferList{}; };
  const double alone_s =
      transfer_time(platform, list, 0, {.destination_box = floats(1000)}, nobody).link_s;
  CHECK(MessageLowerBound(platform)(1, 4000.0) == relative(alone_s, 1e-12));
  CHECK(MessageLowerBound(platform)(0, 4000.0) == 0.0);
}

}  // namespace cnnplan::test
