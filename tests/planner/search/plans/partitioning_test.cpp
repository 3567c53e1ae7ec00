// Tests of planner/search/plans/partitioning, by what solve reports.
#include "planner/search/plans/partitioning.hpp"

#include <algorithm>
#include <vector>

#include <doctest/doctest.h>

#include "planner/search/plans/chain_plans.hpp"
#include "planner/search/solve.hpp"
#include "tests/relative.hpp"
#include "tests/slow_build.hpp"

namespace cnnplan::test {
namespace {

SolveRequest request_for(int ranks, std::int64_t batch, const MultigridRequest& multigrid) {
  SolveRequest request{.network = read_network("configs/networks/residual-64.json")};
  request.ranks = ranks;
  request.batch = batch;
  request.platform = read_platform("configs/platforms/tx-gaia.json");
  request.multigrid = multigrid;
  return request;
}

Partitioning partitioning(int ranks, std::int64_t batch, const MultigridRequest& multigrid) {
  return solve(request_for(ranks, batch, multigrid)).prediction.partitioning;
}

std::vector<int> partitions_of(const Partitioning& partitioning) {
  std::vector<int> partitions;
  for (const PartitionedStep& step : partitioning.steps) partitions.push_back(step.partitions);
  return partitions;
}

double step_s(const Partitioning& partitioning, int partitions) {
  const auto& steps = partitioning.steps;
  const auto found = std::find_if(steps.begin(), steps.end(), [&](const PartitionedStep& step) {
    return step.partitions == partitions;
  });
  REQUIRE(found != steps.end());
  return found->step_s;
}

}  // namespace

TEST_CASE("partitioning_of: steps are those of plans with so many partitions") {
  const MultigridRequest setting{.coarsening = 4, .levels = 2};
  MultigridRequest eight = setting;
  eight.partitions = 8;
  const Partitioning found = partitioning(8, 1, eight);
  CHECK(found.steps.front() == PartitionedStep{.step_s = step_s(found, 1)});
  SolveRequest in_order = request_for(1, 1, {});
  in_order.multigrid.reset();
  CHECK(step_s(found, 1) == relative(solve(in_order).prediction.step_s));
  for (const int partitions : is_slow_build ? std::vector{4} : std::vector{2, 4, 8, 16}) {
    CAPTURE(partitions);
    MultigridRequest other = setting;
    other.partitions = partitions;
    CHECK(step_s(found, partitions) ==
          relative(solve(request_for(partitions, 1, other)).prediction.step_s, 0.02));
  }
  CHECK(found.step_s == step_s(found, 8));
}

TEST_CASE("partitioning_of: one partition less than breaks even is slower than in order" *
          doctest::skip(is_slow_build)) {
  for (const int cycles : {2, 5}) {
    CAPTURE(cycles);
    SolveRequest request = request_for(16, 1, {.cycles = cycles, .partitions = 16});
    request.network = read_network("configs/networks/residual-256.json");
    const Partitioning found = solve(request).prediction.partitioning;
    const auto first =
        std::find_if(found.steps.begin() + 1, found.steps.end(), [&](const auto& step) {
          return step.step_s < found.steps.front().step_s;
        });
    REQUIRE(first != found.steps.end());
    CHECK(std::prev(first)->partitions + 1 == first->partitions);
    CHECK(std::is_sorted(found.steps.begin(), found.steps.end(), [](const auto& a, const auto& b) {
      return a.partitions < b.partitions;
    }));
  }
}

TEST_CASE("partitioning_of: up to twice the plan's partitions, or to where it breaks even" *
          doctest::skip(is_slow_build)) {
  CHECK(partitions_of(partitioning(8, 1, {.partitions = 8})).back() == 16);
  const Partitioning two = partitioning(2, 1, {.partitions = 2});
  CHECK(two.steps.back().step_s < two.steps.front().step_s);
  CHECK(two.steps.back().partitions >= 4);
  // So many cycles never do.
  const Partitioning never = partitioning(2, 1, {.cycles = 40, .partitions = 2});
  CHECK(never.steps.back().step_s > never.steps.front().step_s);
}

TEST_CASE("partitioning_of: partitions of as many ranks as share out their samples" *
          doctest::skip(is_slow_build)) {
  const Partitioning found = partitioning(8, 4, {.partitions = 2});
  CHECK(found.sample_ranks == 4);
  SolveRequest in_order = request_for(4, 4, {});
  in_order.axes = {Axis::n};
  in_order.multigrid.reset();
  CHECK(step_s(found, 1) == relative(solve(in_order).prediction.baseline_s));
}

TEST_CASE("partitioning_of: told where another plan is taken, nowhere without multigrid") {
  const Plan plan = solve(request_for(2, 1, {}));
  REQUIRE(plan.multigrid.empty());
  CHECK(plan.prediction.partitioning.step_s > plan.prediction.step_s);
  CHECK(plan.prediction.partitioning.plan.starts_with("multigrid l2"));
  CHECK(partitioning(2, 1, {.cycles = 0, .partitions = 2}) == Partitioning{});
  SolveRequest without = request_for(2, 1, {});
  without.multigrid.reset();
  CHECK(solve(without).prediction.partitioning == Partitioning{});
}

TEST_CASE("partitioning_of: what does not fit into memory is told" * doctest::skip(is_slow_build)) {
  SolveRequest request = request_for(8, 1, {.partitions = 8});
  const std::int64_t own = solve(request).prediction.memory.total_bytes();
  request.platform.memory_bytes = own * 3 / 2;
  const Partitioning found = solve(request).prediction.partitioning;
  CHECK_FALSE(found.steps.front().fits);
  CHECK(found.steps.back().fits);
}

TEST_CASE("coarsening_for: what shares the layers out evenly, with a coarse step for each") {
  CHECK(coarsening_for(4, 4, 64) == 4);
  CHECK(coarsening_for(3, 256, 4093) == 273);
  CHECK(coarsening_for(32, 16, 64) == 2);
  CHECK(coarsening_for(64, 16, 64) == 0);
  CHECK(coarsening_for(2, 64, 64) == 32);
}

}  // namespace cnnplan::test
