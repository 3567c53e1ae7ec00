// Tests which operations are on the critical path of a step, and that their seconds add up to the
// step.
#include "planner/predict/critical_path.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "planner/predict/predict.hpp"
#include "tests/planner/network/random_chain.hpp"
#include "tests/planner/predict/hand_made.hpp"
#include "tests/planner/schedule/sample_plans.hpp"
#include "tests/relative.hpp"

namespace cnnplan::test {
namespace {

using Path = std::vector<std::pair<std::string, double>>;

std::vector<CriticalOperation> path_through(const std::vector<PricedSchedule>& schedules,
                                            double overlap) {
  const RankClasses classes = RankClasses::each(static_cast<int>(schedules.size()));
  std::vector<RankWork> work;
  for (const PricedSchedule& priced : schedules) work.push_back(work_of(priced));
  const VirtualTimeOptions options{.overlap = overlap};
  return critical_path(work, classes, walk(work, classes, options), options);
}

// Returns the operations, whose names end in their rank, with their seconds.
Path path_of(const std::vector<PricedSchedule>& schedules, double overlap = 0.0) {
  Path path;
  for (const CriticalOperation& found : path_through(schedules, overlap)) {
    const Operation& operation = schedules[found.rank_class].schedule.operations[found.operation];
    path.emplace_back(operation.id + std::to_string(found.rank_class), found.seconds);
  }
  return path;
}

double critical_s(const Prediction& prediction) {
  double sum = 0.0;
  for (const PredictedOperation& operation : prediction.operations) sum += operation.critical_s;
  return sum;
}

void check_sums(const Plan& plan, const Platform& platform) {
  const KernelCosts kernels;
  const Prediction prediction = predict(plan, PriceList(platform, kernels));
  CHECK(critical_s(prediction) == relative(prediction.step_s, 1e-9));
}

}  // namespace

TEST_CASE("critical_path: all that one rank does") {
  CHECK(path_of({HandMade(0).compute("a", 1).compute("b", 2).priced()}) ==
        Path{{"a0", 1.0}, {"b0", 2.0}});
  CHECK(path_of({HandMade(0).priced()}).empty());
}

TEST_CASE("critical_path: through the rank that is late") {
  CHECK(path_of({HandMade(0).compute("a", 1).halo("x", 1, 1).compute("b", 2).priced(),
                 HandMade(1).compute("a", 3).halo("x", 0, 1).priced()}) ==
        Path{{"a1", 3.0}, {"x0", 1.0}, {"b0", 2.0}});
}

TEST_CASE("ranks_on_path: each rank once, the longest first") {
  const std::vector<CriticalOperation> path{{.rank_class = 0, .seconds = 2.0},
                                            {.rank_class = 2, .seconds = 3.0},
                                            {.rank_class = 0, .seconds = 2.0}};
  CHECK(ranks_on_path(path, RankClasses::each(3)) == std::vector{0, 2});
  CHECK(ranks_on_path({}, RankClasses::each(3)).empty());
}

TEST_CASE("critical_path: from rank to rank, and past groups that others are in") {
  const std::vector<int> group{0, 1, 2};
  CHECK(
      path_of({HandMade(0).compute("a", 5).halo("x", 1, 1).allreduce("sum", group, 1).priced(),
               HandMade(1)
                   .compute("a", 1)
                   .halo("x", 0, 1)
                   .compute("b", 2)
                   .allreduce("sum", group, 1)
                   .priced(),
               HandMade(2).compute("a", 7).allreduce("sum", group, 1).compute("c", 1).priced()}) ==
      Path{{"a0", 5.0}, {"x1", 1.0}, {"b1", 2.0}, {"sum2", 1.0}, {"c2", 1.0}});
}

TEST_CASE("critical_path: through the lane that takes longer") {
  CHECK(path_of({HandMade(0)
                     .compute("a", 1)
                     .compute("b", 2, {0})
                     .compute("c", 3, {0})
                     .in_lane(1)
                     .compute("d", 4, {0})
                     .compute("e", 1, {1, 2, 3})
                     .priced()}) == Path{{"a0", 1.0}, {"b0", 2.0}, {"d0", 4.0}, {"e0", 1.0}});
}

TEST_CASE("critical_path: a reduction or the kernels during it, whichever take longer") {
  const auto rank_schedule = [](int rank, double reduce_s) {
    return HandMade(rank)
        .compute("gradient", 1)
        .allreduce("reduce", {0, 1}, reduce_s, {0})
        .compute("next", 4, {0})
        .compute("sgd", 1, {1})
        .priced();
  };
  const auto path = [&](double reduce_s, double overlap) {
    return path_of({rank_schedule(0, reduce_s), rank_schedule(1, reduce_s)}, overlap);
  };
  CHECK(path(2, 1.0) == Path{{"gradient0", 1.0}, {"next0", 4.0}, {"sgd0", 1.0}});
  CHECK(path(8, 1.0) == Path{{"gradient0", 1.0}, {"reduce0", 8.0}, {"sgd0", 1.0}});
  // Half of the reduction stops the kernel, which takes this much longer.
  CHECK(path(2, 0.5) == Path{{"gradient0", 1.0}, {"next0", 5.0}, {"sgd0", 1.0}});
  CHECK(path(2, 0.0) == Path{{"gradient0", 1.0}, {"reduce0", 2.0}, {"next0", 4.0}, {"sgd0", 1.0}});
}

TEST_CASE("critical_path: seconds of random plans add up to their step") {
  for (const NamedPlan& named : random_plans(20)) {
    CAPTURE(named.name);
    Plan plan = named.plan;
    Platform platform = default_platform(plan.ranks);
    platform.overlap_efficiency = 0.7;
    for (const bool overlap : {false, true}) {
      plan.overlap = overlap;
      check_sums(plan, platform);
    }
  }
}

TEST_CASE("critical_path: seconds of chains by multigrid add up to their step") {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    for (const int ranks : {1, 2, 3}) {
      const Plan plan = random_chain_plan(seed, ranks);
      CAPTURE(seed);
      CAPTURE(ranks);
      check_sums(plan, default_platform(ranks));
      check_sums(with_concurrency(plan, 2), default_platform(ranks));
    }
  }
}

TEST_CASE("critical_path: ranks of one class stand for each other") {
  const Network network =
      with_input_size(read_network("configs/networks/resnet50.json"), {1, 64, 64});
  const Plan plan = uniform_plan(network, 32, parse_mesh("n8h4"));
  const Platform platform = default_platform(plan.ranks);
  REQUIRE(RankClasses::of(plan, platform).count() < plan.ranks);
  check_sums(plan, platform);
}

}  // namespace cnnplan::test
