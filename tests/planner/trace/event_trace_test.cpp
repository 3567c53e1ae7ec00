// Tests that operations and messages become events in order of time.
#include "planner/trace/event_trace.hpp"

#include <doctest/doctest.h>

#include "planner/trace/traced_step.hpp"

namespace cnnplan::test {
namespace {

// Rank 0 sends to rank 1 and rank 2 in one operation. Rank 2 is not listed.
std::vector<TracedRank> sender_and_receiver() {
  const SliceName name{.name = "halo", .category = "halo"};
  return {{.rank = 0,
           .process = 1,
           .operations = {{.id = "halo",
                           .name = name,
                           .stream = Stream::halo,
                           .span = {.begin_ns = 10, .work_begin_ns = 20, .end_ns = 40},
                           .sends = {{.peer = 1, .bytes = 5}, {.peer = 2, .bytes = 7}}}}},
          {.rank = 1,
           .process = 3,
           .operations = {{.id = "halo",
                           .name = name,
                           .stream = Stream::halo,
                           .lane = 1,
                           .span = {.begin_ns = 20, .work_begin_ns = 20, .end_ns = 40}}}}};
}

}  // namespace

TEST_CASE("EventTrace: an operation that waits has a slice inside it, which comes after it") {
  EventTrace trace;
  const NameIndex name = trace.add_name({.name = "halo", .category = "halo"});
  trace.add_operation({1, 2}, name, {.begin_ns = 3, .work_begin_ns = 5, .end_ns = 9}, 0);
  const std::vector<TraceEvent> events = trace.sorted_events();
  REQUIRE(events.size() == 2);
  CHECK(events[0].name == name);
  CHECK(events[0].duration_ns == 6);
  CHECK(trace.name(events[1].name).name == "waiting");
  CHECK(events[1].time_ns == 3);
  CHECK(events[1].duration_ns == 2);
}

TEST_CASE("add_step: messages go from work to work, and not to ranks that are not listed") {
  EventTrace trace;
  add_step(sender_and_receiver(), 100, trace);
  std::vector<TraceEvent> flows;
  for (const TraceEvent& event : trace.sorted_events()) {
    if (event.kind != EventKind::slice) flows.push_back(event);
  }
  REQUIRE(flows.size() == 2);
  CHECK(flows[0].kind == EventKind::flow_begin);
  CHECK(flows[0].process == 1);
  CHECK(flows[0].time_ns == 120);
  CHECK(flows[1].kind == EventKind::flow_end);
  CHECK(flows[1].process == 3);
  CHECK(flows[1].time_ns == 130);
  CHECK(flows[0].value == flows[1].value);
}

TEST_CASE("add_step: operations of one stream that run at one time have several threads") {
  std::vector<TracedRank> ranks = sender_and_receiver();
  ranks.resize(1);
  const auto add = [&](const std::string& id, std::int64_t begin_ns, std::int64_t end_ns) {
    ranks[0].operations.push_back(
        {.id = id,
         .name = {.name = id, .category = "halo"},
         .stream = Stream::halo,
         .span = {.begin_ns = begin_ns, .work_begin_ns = begin_ns, .end_ns = end_ns}});
  };
  add("begins before the first has ended", 30, 60);
  add("begins when the first ends", 40, 50);
  EventTrace trace;
  add_step(ranks, 0, trace);
  REQUIRE(trace.threads().size() == 2);
  CHECK(trace.threads().begin()->second == "halo");
  CHECK(trace.threads().rbegin()->second == "halo, at the same time 1");
  const int first = trace.threads().begin()->first.thread;
  for (const TraceEvent& event : trace.sorted_events()) {
    CAPTURE(event.time_ns);
    CHECK((event.thread == first) == (event.time_ns != 30));
  }
}

TEST_CASE("add_message: it ends after its begin, in both slices, or is left out") {
  const TracedSpan sent{.begin_ns = 100, .work_begin_ns = 120, .end_ns = 150};
  struct Case {
    TracedSpan received;
    std::int64_t departure_ns;
    std::int64_t arrival_ns;
  };
  for (const Case& c : {Case{{.begin_ns = 90, .work_begin_ns = 110, .end_ns = 160}, 120, 135},
                        Case{{.begin_ns = 10, .work_begin_ns = 20, .end_ns = 110}, 110, 110},
                        Case{{.begin_ns = 10, .work_begin_ns = 20, .end_ns = 100}, 100, 100}}) {
    EventTrace trace;
    trace.add_message({1, 2}, sent, {3, 2}, c.received);
    const std::vector<TraceEvent> events = trace.sorted_events();
    REQUIRE(events.size() == 2);
    CHECK(events[0].time_ns == c.departure_ns);
    CHECK(events[1].time_ns == c.arrival_ns);
  }
  EventTrace trace;
  trace.add_message({1, 2}, sent, {3, 2}, {.begin_ns = 10, .work_begin_ns = 20, .end_ns = 99});
  CHECK(trace.sorted_events().empty());
}

TEST_CASE("add_step: a thread is named by stream and lane, and a slice has the bytes it sends") {
  EventTrace trace;
  add_step(sender_and_receiver(), 0, trace);
  REQUIRE(trace.threads().size() == 2);
  CHECK(trace.threads().begin()->second == "halo");
  CHECK(trace.threads().rbegin()->second == "halo, lane 1");
  CHECK(trace.sorted_events().front().value == 12);
}

}  // namespace cnnplan::test
