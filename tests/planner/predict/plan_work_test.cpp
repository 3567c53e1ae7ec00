// Tests that a limit of the step leaves out slow plans only, whatever ranks are lowered first.
#include "planner/predict/plan_work.hpp"

#include <cmath>
#include <limits>

#include <doctest/doctest.h>

#include "planner/predict/predict.hpp"
#include "tests/planner/network/random_chain.hpp"
#include "tests/planner/schedule/sample_plans.hpp"

namespace cnnplan::test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// Compares the limits around the step with the step itself.
void check_limits(const Plan& plan, const Platform& platform) {
  const KernelCosts kernels;
  const PriceList prices(platform, kernels);
  const double step_s = predicted_step_s(plan, prices);
  const std::vector<std::vector<int>> all_slow_ranks{
      {}, {plan.ranks - 1}, {plan.ranks / 2, 0}, {plan.ranks}};
  for (const std::vector<int>& slow_ranks : all_slow_ranks) {
    CAPTURE(slow_ranks.size());
    const auto below = [&](double limit_s) {
      return work_below(plan, {.seconds = limit_s, .slow_ranks = slow_ranks}, prices);
    };
    CHECK_FALSE(below(step_s).has_value());
    CHECK_FALSE(below(step_s / 2).has_value());
    const auto found = below(std::nextafter(step_s, infinity));
    REQUIRE(found.has_value());
    CHECK(step_time_s(found->timelines) == step_s);
    CHECK(found->work.memory == work_of(plan, prices).memory);
  }
}

// Returns a platform with nodes of two ranks, which share a port.
Platform platform_of_nodes(const Plan& plan, double overlap_efficiency) {
  Platform platform = default_platform(plan.ranks);
  platform.levels.front().ranks_per_group = 2;
  platform.levels.push_back(platform.levels.front());
  platform.levels.back().ranks_per_group = plan.ranks;
  platform.levels.back().shared_by = 2;
  platform.overlap_efficiency = overlap_efficiency;
  return platform;
}

}  // namespace

TEST_CASE("work_below: the work of a plan exactly if its step is below the limit") {
  for (const NamedPlan& named : random_plans(6)) {
    CAPTURE(named.name);
    for (const bool overlap : {false, true}) {
      CAPTURE(overlap);
      Plan plan = named.plan;
      plan.overlap = overlap;
      for (const double efficiency : {0.0, 0.7}) {
        check_limits(plan, platform_of_nodes(plan, efficiency));
      }
    }
  }
}

TEST_CASE("work_below: the work of groups at the same time, too") {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    CAPTURE(seed);
    const Plan plan = with_concurrency(random_chain_plan(seed, 1 + static_cast<int>(seed % 4)), 3);
    check_limits(plan, default_platform(plan.ranks));
  }
}

TEST_CASE("work_below: classes that stand for several ranks") {
  const Network network = read_network("configs/networks/resnet50.json");
  const Plan plan = uniform_plan(with_input_size(network, {1, 64, 64}), 8, parse_mesh("n4h4w2"));
  REQUIRE(RankClasses::of(plan, default_platform(plan.ranks)).count() < plan.ranks);
  check_limits(plan, platform_of_nodes(plan, 0.0));
}

TEST_CASE("lower_each_while: the other ranks follow only if it goes on") {
  const Plan plan = uniform_plan(read_network("configs/networks/lenet.json"), 4, parse_mesh("n4"));
  const std::vector<int> ranks{2, 0, 1, 3};
  for (const bool goes_on : {false, true}) {
    CAPTURE(goes_on);
    std::vector<int> lowered(ranks.size(), -1);
    const auto take = [&](std::size_t i, const Schedule& schedule) { lowered[i] = schedule.rank; };
    CHECK(lower_each_while(plan, ranks, 1, {}, take, [&] { return goes_on; }) == goes_on);
    CHECK(lowered == (goes_on ? ranks : std::vector{2, -1, -1, -1}));
    CHECK(lower_each_while(plan, ranks, ranks.size(), {}, take, [&] { return goes_on; }));
    CHECK(lowered == ranks);
  }
}

}  // namespace cnnplan::test
