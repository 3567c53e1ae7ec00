// Tests that messages come out as they went in, and that foreign datagrams are ignored.
#include "executor/comm/watch/watch_message.hpp"

#include <numeric>
#include <string>

#include <doctest/doctest.h>

namespace cnnplan {
namespace {

const WatchMessage full{.kind = WatchMessage::Kind::state,
                        .from = 3,
                        .culprit = 7,
                        .state = {.call = "ring in shared memory",
                                  .activity = "conv1/forward halo",
                                  .waits_for = {0, 2},
                                  .unchanged_s = 1.5,
                                  .fault = DeviceFault{"NCCL: error", true}}};

TEST_CASE("parse_datagram: returns what to_datagram wrote") {
  CHECK(parse_datagram(to_datagram(full, "17-4"), "17-4") == full);
  WatchMessage own = full;
  own.state.fault->is_elsewhere = false;
  CHECK(parse_datagram(to_datagram(own, "17-4"), "17-4") == own);
  const WatchMessage query{.kind = WatchMessage::Kind::query, .from = 1};
  CHECK(parse_datagram(to_datagram(query, "x"), "x") == query);
  const WatchMessage end{.kind = WatchMessage::Kind::end, .from = 1, .culprit = 2};
  CHECK(parse_datagram(to_datagram(end, "x"), "x") == end);
}

TEST_CASE("parse_datagram: refuses another token and what is no message") {
  CHECK(!parse_datagram(to_datagram(full, "17-4"), "17-5"));
  const std::string datagram = to_datagram(full, "17-4");
  for (const std::string& wrong : {std::string(),
                                   std::string("hello"),
                                   std::string(300, '\xff'),
                                   "x" + datagram,
                                   datagram.substr(0, 20),
                                   std::string("cnnplan-watch 17-4 9 0 0 0\n\n\n\n")}) {
    CHECK(!parse_datagram(wrong, "17-4"));
  }
}

TEST_CASE("to_datagram: long lists and texts with line ends fit in a datagram") {
  WatchMessage large = full;
  large.state.activity = "two\nlines" + std::string(100'000, 'x');
  large.state.waits_for.resize(100'000);
  std::iota(large.state.waits_for.begin(), large.state.waits_for.end(), 0);
  const std::string datagram = to_datagram(large, "17-4");
  CHECK(datagram.size() < 60'000);
  const auto parsed = parse_datagram(datagram, "17-4");
  REQUIRE(parsed);
  CHECK(parsed->state.activity.starts_with("two linesxxx"));
  CHECK(parsed->state.call == full.state.call);
  CHECK(parsed->state.waits_for.size() > 1000);
}

}  // namespace
}  // namespace cnnplan
