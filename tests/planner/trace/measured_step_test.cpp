// Tests how the times of a run become slices: who waits, what is refused, and how large it gets.
#include "planner/trace/measured_step.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <string>

#include <doctest/doctest.h>

#include "planner/base/error.hpp"
#include "planner/cost/kernels.hpp"
#include "planner/kernel/profile.hpp"
#include "planner/trace/predicted_step.hpp"
#include "planner/trace/trace_file.hpp"
#include "tests/planner/schedule/sample_plans.hpp"
#include "tests/planner/trace/halo_plan.hpp"

namespace cnnplan::test {
namespace {

constexpr std::int64_t late_ns = 30;  // rank r begins everything r times later
constexpr std::int64_t duration_ns = 50;
constexpr std::int64_t period_ns = 100;

// Returns a run of the plan with a trace whose times are made up, of `steps` steps.
RunReport run_of(const Plan& plan, int steps) {
  RunReport run{.ranks = plan.ranks, .trace = MeasuredSteps{.first_step = 3}};
  std::map<std::string, int> places;
  for (const Schedule& schedule : lower_all(plan)) {
    RankTimes& rank = run.trace->ranks.emplace_back();
    OperationTimes times;
    for (const Operation& operation : schedule.operations) {
      const auto [place, is_new] = places.try_emplace(operation.id, std::ssize(run.operations));
      if (is_new) run.operations.push_back({.id = operation.id, .time = {}});
      times.begin_ns.push_back(period_ns * std::ssize(rank.operations) + late_ns * schedule.rank);
      times.duration_ns.push_back(duration_ns);
      rank.operations.push_back(place->second);
    }
    rank.steps.assign(steps, times);
  }
  return run;
}

// Returns the run with other times, which take as many digits as those of long steps.
RunReport with_long_times(RunReport run) {
  std::minstd_rand random(7);
  std::uniform_int_distribution<std::int64_t> draw(1, 100'000'000);
  for (RankTimes& rank : run.trace->ranks) {
    std::int64_t now_ns = 0;
    for (OperationTimes& times : rank.steps) {
      for (std::size_t i = 0; i < times.begin_ns.size(); ++i) {
        times.begin_ns[i] = now_ns;
        times.duration_ns[i] = draw(random);
        now_ns += times.duration_ns[i];
      }
    }
  }
  return run;
}

std::vector<int> all_ranks(const Plan& plan) {
  std::vector<int> ranks(plan.ranks);
  std::iota(ranks.begin(), ranks.end(), 0);
  return ranks;
}

bool is_wait(const TracedOperation& operation) {
  return operation.span.work_begin_ns > operation.span.begin_ns;
}

}  // namespace

TEST_CASE("measured_steps: an operation waits until its last partner has begun it") {
  const Plan plan = halo_plan(2);
  const auto steps = measured_steps(plan, run_of(plan, 1), all_ranks(plan));
  REQUIRE(steps.size() == 1);
  REQUIRE(steps[0].size() == 2);
  for (const TracedRank& rank : steps[0]) {
    CHECK(rank.name == "rank " + std::to_string(rank.rank) + ", measured");
    CHECK(rank.process == process_of(rank.rank, TraceSource::measured));
    for (const TracedOperation& operation : rank.operations) {
      CAPTURE(operation.id);
      // Sums of statistics are on the stream of the kernels that need them.
      const bool meets = operation.stream == Stream::halo || operation.stream == Stream::reduce ||
                         operation.id.ends_with("statistics/allreduce");
      const std::int64_t waited_ns = meets && rank.rank == 0 ? late_ns : 0;
      CHECK(operation.span.work_begin_ns - operation.span.begin_ns == waited_ns);
      CHECK(operation.span.end_ns - operation.span.begin_ns == duration_ns);
    }
  }
  CHECK(std::any_of(steps[0][0].operations.begin(), steps[0][0].operations.end(), is_wait));
}

TEST_CASE("measured_steps: ranks wait for ranks that are not shown, and not beyond the end") {
  const Plan plan = halo_plan(4);
  RunReport run = run_of(plan, 1);
  const auto middle = measured_steps(plan, run, std::vector{1});
  REQUIRE(middle[0].size() == 1);
  CHECK(std::any_of(middle[0][0].operations.begin(), middle[0][0].operations.end(), is_wait));
  for (std::int64_t& begin_ns : run.trace->ranks[3].steps[0].begin_ns) begin_ns += 10 * period_ns;
  const auto late = measured_steps(plan, run, all_ranks(plan));
  for (const TracedRank& rank : late[0]) {
    for (const TracedOperation& operation : rank.operations) {
      CHECK(operation.span.work_begin_ns <= operation.span.end_ns);
    }
  }
}

TEST_CASE("measured_steps: messages and memory are those of the prediction") {
  const Plan plan = halo_plan(4);
  const Platform platform = default_platform(plan.ranks);
  const Profile profile;
  const KernelCosts kernels(profile, platform);
  const PredictedStep predicted = predicted_step(plan, PriceList(platform, kernels), std::nullopt);
  const auto measured = measured_steps(plan, run_of(plan, 2), all_ranks(plan));
  REQUIRE(measured.size() == 2);
  for (const int rank : all_ranks(plan)) {
    const TracedRank& own = measured[1][rank];
    REQUIRE(own.operations.size() == predicted.ranks[rank].operations.size());
    for (std::size_t i = 0; i < own.operations.size(); ++i) {
      CHECK(own.operations[i].name == predicted.ranks[rank].operations[i].name);
      CHECK(own.operations[i].sends == predicted.ranks[rank].operations[i].sends);
    }
    REQUIRE(!own.memory.empty());
    CHECK(own.memory.front().time_ns == late_ns * rank);
    CHECK(own.memory.back().bytes == predicted.ranks[rank].memory.back().bytes);
  }
}

TEST_CASE("measured_steps: a trace with other operations than the plan is refused") {
  const Plan plan = halo_plan(2);
  RunReport fewer = run_of(plan, 1);
  fewer.trace->ranks[1].operations.pop_back();
  CHECK_THROWS_WITH_AS(measured_steps(plan, fewer, all_ranks(plan)),
                       doctest::Contains("the trace of rank 1 has other operations"),
                       Error);
  RunReport renamed = run_of(plan, 1);
  renamed.operations.front().id += "x";
  CHECK_THROWS_AS(measured_steps(plan, renamed, all_ranks(plan)), Error);
}

TEST_CASE("trace_text: 10 steps of ResNet-50 on 8 ranks have at most 100 MB, and so has the run") {
  const Network network = read_network("configs/networks/resnet50.json");
  const Plan plan = uniform_plan(network, 8, parse_mesh("h2w2n2"));
  const RunReport run = with_long_times(run_of(plan, 10));
  CHECK(std::ssize(to_json(run)) <= most_trace_bytes);
  EventTrace trace;
  for (const auto& step : measured_steps(plan, run, all_ranks(plan))) add_step(step, 0, trace);
  CHECK_NOTHROW(trace_text(trace, true));
}

}  // namespace cnnplan::test
