// Tests the clocks of ranks with schedules made by hand: waiting, lanes, overlap and spreads.
#include "planner/predict/virtual_time.hpp"

#include <cmath>
#include <numbers>
#include <stdexcept>

#include <doctest/doctest.h>

#include "tests/planner/predict/hand_made.hpp"
#include "tests/relative.hpp"

namespace cnnplan::test {
namespace {

std::vector<RankTimeline> walked(const std::vector<PricedSchedule>& schedules,
                                 double overlap = 0.0,
                                 Estimate estimate = Estimate::likely) {
  return walk(schedules,
              RankClasses::each(static_cast<int>(schedules.size())),
              {.estimate = estimate, .overlap = overlap});
}

// Returns a schedule of a gradient (1 s), its reduction (2 s), another kernel meanwhile (2 s) and
// the update (1 s).
PricedSchedule reduction_beside_kernel(int rank) {
  return HandMade(rank)
      .compute("gradient", 1)
      .allreduce("reduce", {0, 1}, 2, {0})
      .compute("next", 2, {0})
      .compute("sgd", 1, {1})
      .priced();
}

double step_with_overlap(double efficiency) {
  return step_time_s(walked({reduction_beside_kernel(0), reduction_beside_kernel(1)}, efficiency));
}

}  // namespace

TEST_CASE("Virtual time: kernels of one rank add up") {
  const auto timelines =
      walked({HandMade(0).compute("a", 1).compute("b", 2, {0}).compute("c", 4).priced()});
  CHECK(timelines[0].durations_s == std::vector{1.0, 2.0, 4.0});
  CHECK(timelines[0].end_s == 7.0);
}

TEST_CASE("Virtual time: lanes run at the same time, and wait for operations that they need") {
  const auto rank_schedule = [](int rank) {
    return HandMade(rank)
        .compute("a", 1)
        .compute("b", 2, {0})
        .compute("c", 3, {0})
        .in_lane(1)
        .compute("d", 1)
        .in_lane(1)
        .halo("x", 1 - rank, 1, {1})
        .compute("e", 1, {1, 3})
        .priced();
  };
  const auto timelines = walked({rank_schedule(0), rank_schedule(1)});
  CHECK(timelines[0].durations_s == std::vector{1.0, 2.0, 3.0, 1.0, 1.0, 1.0});
  CHECK(timelines[0].end_s == 6.0);
  CHECK(timelines[0].exposed_s == 0.0);  // x is beside c and d
}

TEST_CASE("Virtual time: lateness of ranks does not depend on the number of lanes") {
  const auto late_s = [](int lanes) {
    std::vector<PricedSchedule> schedules;
    for (int rank : {0, 1}) {
      HandMade made(rank);
      std::vector<int> kernels;
      for (int lane = 0; lane < lanes; ++lane) {
        made.compute("a" + std::to_string(lane), 5).spread(0.3).in_lane(lane);
        kernels.push_back(lane);
      }
      schedules.push_back(made.halo("x", 1 - rank, 1, kernels).priced());
    }
    return step_time_s(walked(schedules)) - 6.0;
  };
  CHECK(late_s(1) == relative(0.3 / std::sqrt(std::numbers::pi)));
  CHECK(late_s(4) == relative(late_s(1)));
}

TEST_CASE("Virtual time: the slowest rank counts") {
  const auto timelines =
      walked({HandMade(0).compute("a", 1).priced(), HandMade(1).compute("a", 3).priced()});
  CHECK(timelines[0].end_s == 1.0);
  CHECK(timelines[1].end_s == 3.0);
  CHECK(step_time_s(timelines) == 3.0);
}

TEST_CASE("Virtual time: an early rank waits for its late partner") {
  const auto timelines = walked({HandMade(0).compute("a", 1).halo("x", 1, 1).priced(),
                                 HandMade(1).compute("a", 3).halo("x", 0, 1).priced()});
  CHECK(timelines[0].durations_s == std::vector{1.0, 3.0});
  CHECK(timelines[1].durations_s == std::vector{3.0, 1.0});
  CHECK(step_time_s(timelines) == 4.0);
}

TEST_CASE("Virtual time: waiting passes on from rank to rank") {
  const auto timelines =
      walked({HandMade(0).compute("a", 5).halo("x", 1, 1).priced(),
              HandMade(1).compute("a", 1).halo("x", 0, 1).halo("y", 2, 1).priced(),
              HandMade(2).compute("a", 1).halo("y", 1, 1).compute("b", 2).priced()});
  CHECK(timelines[1].end_s == 7.0);
  CHECK(timelines[2].durations_s == std::vector{1.0, 6.0, 2.0});
  CHECK(timelines[2].end_s == 9.0);
}

TEST_CASE("Virtual time: an allreduce joins only the ranks of its group") {
  const std::vector<int> group{0, 2, 4};
  std::vector<PricedSchedule> schedules;
  for (int rank = 0; rank < 5; ++rank) {
    HandMade made(rank);
    made.compute("a", rank + 1);
    if (rank % 2 == 0) made.allreduce("sum", group, 1);
    schedules.push_back(made.priced());
  }
  const auto timelines = walked(schedules);
  for (int rank : group) CHECK(timelines[static_cast<std::size_t>(rank)].end_s == 6.0);
  CHECK(timelines[1].end_s == 2.0);
  CHECK(timelines[3].end_s == 4.0);
}

TEST_CASE("Virtual time: ranks that do not take equally long wait for the later one") {
  const auto rank_schedule = [](int rank) {
    return HandMade(rank)
        .compute("a", 5)
        .spread(0.1)
        .compute("b", 5)
        .spread(0.2)
        .halo("x", 1 - rank, 1)
        .compute("c", 5)
        .spread(0.4)
        .allreduce("sum", {0, 1}, 1)
        .priced();
  };
  // One of two equal ranks is late by their spread over the root of pi. After x, the spread starts
  // again.
  const double late_s = 0.7 / std::sqrt(std::numbers::pi);
  const std::vector schedules{rank_schedule(0), rank_schedule(1)};
  const auto timelines = walked(schedules);
  CHECK(step_time_s(timelines) == relative(17.0 + late_s));
  CHECK(timelines[0].durations_s[2] == relative(1.0 + 0.3 / std::sqrt(std::numbers::pi)));
  CHECK(timelines[0].exposed_s == relative(2.0 + late_s));
  CHECK(step_time_s(walk(schedules, RankClasses::each(2), {.spreads = false})) == 17.0);
  CHECK(step_time_s(walked(schedules, 0.0, Estimate::low)) == 8.5);
}

TEST_CASE("Virtual time: nobody waits for a class that is left out") {
  const auto rank_work = [](int rank) {
    return work_of(HandMade(rank)
                       .compute("a", 1 + rank)
                       .halo("x", (rank + 1) % 3, 1)
                       .allreduce("sum", {0, 1, 2}, 1)
                       .priced());
  };
  std::vector<RankWork> work{rank_work(0), rank_work(1), rank_work(2)};
  const RankClasses classes = RankClasses::each(3);
  CHECK(step_time_s(walk(work, classes)) == 5.0);
  work[2] = {};
  const auto timelines = walk(work, classes);
  CHECK(timelines[0].end_s == 4.0);
  CHECK(timelines[1].end_s == 4.0);
  CHECK(timelines[2].end_s == 0.0);
}

TEST_CASE("Walks: the same operations with other prices") {
  const auto schedule = [](int rank, double seconds) {
    return HandMade(rank).compute("a", seconds).halo("x", 1 - rank, 1).compute("b", 1).priced();
  };
  const std::vector<RankWork> work{work_of(schedule(0, 1)), work_of(schedule(1, 2))};
  const RankClasses classes = RankClasses::each(2);
  const Walks walks(work, classes);
  const std::vector others{schedule(0, 5).prices, schedule(1, 3).prices};
  CHECK(step_time_s(walks({})) == 4.0);
  CHECK(step_time_s(walks(others, {})) == 7.0);
  CHECK(step_time_s(walks({})) == 4.0);
}

TEST_CASE("Virtual time: three unlike ranks leave a meeting at the same time") {
  const auto rank_schedule = [](int rank) {
    return HandMade(rank)
        .compute("a", 5 + 0.1 * rank)
        .spread(0.2 * (rank + 1))
        .allreduce("sum", {0, 1, 2}, 1)
        .priced();
  };
  const auto timelines = walked({rank_schedule(0), rank_schedule(1), rank_schedule(2)});
  CHECK(timelines[0].end_s > 6.2);
  CHECK(timelines[1].end_s == timelines[0].end_s);
  CHECK(timelines[2].end_s == timelines[0].end_s);
}

TEST_CASE("Virtual time: a rank without peers does not wait") {
  const auto alone =
      walked({HandMade(0).compute("a", 5).spread(1.0).allreduce("sum", {0}, 1).priced()});
  CHECK(step_time_s(alone) == 6.0);
}

TEST_CASE(
    "Virtual time: overlapped communication waits, and ends the lateness of kernels that need it") {
  const auto rank_schedule = [](int rank) {
    return HandMade(rank)
        .compute("a", 5)
        .spread(0.3)
        .halo("x", 1 - rank, 1, {0})
        .compute("b", 5, {1})
        .halo("y", 1 - rank, 1, {2})
        .compute("c", 5, {3})
        .priced();
  };
  const double late_s = 0.3 / std::sqrt(std::numbers::pi);
  const auto timelines = walked({rank_schedule(0), rank_schedule(1)}, 1.0);
  CHECK(step_time_s(timelines) == relative(17.0 + late_s));
}

TEST_CASE("Virtual time: lateness that one reduction waited for does not delay the next") {
  const auto rank_schedule = [](int rank) {
    return HandMade(rank)
        .compute("a", 5)
        .spread(0.3)
        .allreduce("first", {0, 1}, 10, {0})
        .compute("b", 1)
        .spread(0.1)
        .allreduce("second", {0, 1}, 10, {2})
        .priced();
  };
  const auto timelines = walked({rank_schedule(0), rank_schedule(1)}, 1.0);
  CHECK(step_time_s(timelines) == relative(25.0 + 0.3 / std::sqrt(std::numbers::pi)));
}

TEST_CASE("Virtual time: overlap hides as much of a reduction as the platform can") {
  CHECK(step_with_overlap(0.0) == 6.0);
  CHECK(step_with_overlap(0.5) == 5.0);
  CHECK(step_with_overlap(1.0) == 4.0);
}

TEST_CASE("Virtual time: what a platform could hide is not hidden unless the plan says so") {
  Platform platform;
  platform.overlap_efficiency = 0.5;
  Plan plan;
  CHECK(overlap_of(plan, platform) == 0.0);
  plan.overlap = true;
  CHECK(overlap_of(plan, platform) == 0.5);
}

TEST_CASE("Virtual time: exposed is what kernels do not fill, waiting included") {
  const auto exposed = [](double overlap) {
    return walked({reduction_beside_kernel(0), reduction_beside_kernel(1)}, overlap)[0].exposed_s;
  };
  CHECK(exposed(0.0) == 2.0);
  CHECK(exposed(0.5) == 1.0);
  CHECK(exposed(1.0) == 0.0);
  const auto timelines = walked({HandMade(0).compute("a", 1).halo("x", 1, 1).priced(),
                                 HandMade(1).compute("a", 3).halo("x", 0, 1).priced()});
  CHECK(timelines[0].exposed_s == 3.0);
  CHECK(timelines[1].exposed_s == 1.0);
}

TEST_CASE("Virtual time: in lanes, exposed is when no kernel of the rank runs") {
  const auto exposed = [](const auto& schedule) {
    return walked({schedule(0), schedule(1)})[0].exposed_s;
  };
  const auto covered = [](int rank) {
    return HandMade(rank)
        .compute("a", 1)
        .halo("x", 1 - rank, 1, {0})
        .compute("b", 3)
        .in_lane(1)
        .priced();
  };
  CHECK(exposed(covered) == 0.0);
  // Lane 1 has kernels from 0 to 3. Lane 0, which comes first in the list, has kernels from 0 to 1
  // and from 5 to 6.
  const auto with_gap = [](int rank) {
    return HandMade(rank)
        .compute("a", 1)
        .halo("x", 1 - rank, 4, {0})
        .compute("b", 1, {1})
        .compute("c", 3)
        .in_lane(1)
        .priced();
  };
  CHECK(exposed(with_gap) == 2.0);
}

TEST_CASE("Virtual time: reductions share one stream and follow each other") {
  const auto rank_schedule = [](int rank) {
    return HandMade(rank)
        .compute("a", 1)
        .allreduce("first", {0, 1}, 4, {0})
        .compute("b", 1)
        .allreduce("second", {0, 1}, 4, {2})
        .priced();
  };
  const auto timelines = walked({rank_schedule(0), rank_schedule(1)}, 1.0);
  CHECK(timelines[0].end_s == 9.0);
  CHECK(timelines[0].durations_s[3] == 4.0);
}

TEST_CASE("Virtual time: statistics on the compute stream are never hidden") {
  const auto rank_schedule = [](int rank) {
    return HandMade(rank)
        .allreduce("statistics", {0, 1}, 2, {}, Stream::compute)
        .compute("a", 1)
        .priced();
  };
  CHECK(step_time_s(walked({rank_schedule(0), rank_schedule(1)}, 1.0)) == 3.0);
}

TEST_CASE("Virtual time: without overlap durations add up to the end of the rank") {
  const auto timelines = walked({reduction_beside_kernel(0), reduction_beside_kernel(1)});
  for (const RankTimeline& timeline : timelines) {
    double sum = 0.0;
    for (double duration : timeline.durations_s) sum += duration;
    CHECK(sum == timeline.end_s);
  }
}

TEST_CASE("Virtual time: both ends of the prices can be walked") {
  const std::vector schedules{HandMade(0).compute("a", 1).compute("b", 3).priced()};
  CHECK(walked(schedules, 0.0, Estimate::low)[0].end_s == 2.0);
  CHECK(walked(schedules, 0.0, Estimate::high)[0].end_s == 8.0);
}

TEST_CASE("Virtual time: ranks that wait for each other forever are an error") {
  const auto crossed = [] {
    return walked({HandMade(0).halo("x", 1, 1).halo("y", 1, 1).priced(),
                   HandMade(1).halo("y", 0, 1).halo("x", 0, 1).priced()});
  };
  CHECK_THROWS_AS(crossed(), std::logic_error);
  const auto absent = [] {
    return walked({HandMade(0).halo("x", 1, 1).priced(), HandMade(1).compute("a", 1).priced()});
  };
  CHECK_THROWS_AS(absent(), std::logic_error);
}

}  // namespace cnnplan::test
