// Tests that predicted steps are the ones of predict(), for every kind of plan.
#include "planner/trace/predicted_step.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include <doctest/doctest.h>

#include "planner/cost/kernels.hpp"
#include "planner/kernel/profile.hpp"
#include "planner/predict/operation_spans.hpp"
#include "planner/predict/predict.hpp"
#include "tests/planner/schedule/sample_plans.hpp"
#include "tests/relative.hpp"

namespace cnnplan::test {
namespace {

// Returns true if no two operations of one thread run at one time, and begins and ends are in
// order.
bool are_in_order(const TracedRank& rank) {
  std::map<std::pair<Stream, int>, std::vector<TracedSpan>> threads;
  for (const TracedOperation& operation : rank.operations) {
    const TracedSpan& span = operation.span;
    if (span.begin_ns > span.work_begin_ns || span.work_begin_ns > span.end_ns) return false;
    threads[{operation.stream, operation.lane}].push_back(span);
  }
  for (const auto& [thread, spans] : threads) {
    for (std::size_t i = 1; i < spans.size(); ++i) {
      if (spans[i].begin_ns < spans[i - 1].end_ns) return false;
    }
  }
  return true;
}

std::int64_t end_of(const PredictedStep& step) {
  std::int64_t end_ns = 0;
  for (const TracedRank& rank : step.ranks) {
    for (const TracedOperation& operation : rank.operations) {
      end_ns = std::max(end_ns, operation.span.end_ns);
    }
  }
  return end_ns;
}

}  // namespace

TEST_CASE("predicted_step: the last operation ends with the predicted step") {
  for (const NamedPlan& sample : sample_plans()) {
    CAPTURE(sample.name);
    for (const bool overlap : {false, true}) {
      Plan plan = sample.plan;
      plan.overlap = overlap;
      Platform platform = default_platform(plan.ranks);
      platform.overlap_efficiency = 0.7;
      const Profile profile;
      const KernelCosts kernels(profile, platform);
      const PriceList prices(platform, kernels);
      const PredictedStep step = predicted_step(plan, prices, std::nullopt);
      CHECK(step.step_s == relative(predict(plan, prices).step_s, 1e-12));
      CHECK(std::abs(static_cast<double>(end_of(step)) - 1e9 * step.step_s) <= 1.0);
      REQUIRE(step.ranks.size() == static_cast<std::size_t>(plan.ranks));
      for (const TracedRank& rank : step.ranks) CHECK(are_in_order(rank));
    }
  }
}

TEST_CASE("spans_of: waiting and work are the duration of an operation that runs alone") {
  constexpr VirtualTimeOptions options{.begin_s = 0.5};
  for (const NamedPlan& sample : sample_plans()) {
    CAPTURE(sample.name);
    const Platform platform = default_platform(sample.plan.ranks);
    const Profile profile;
    const KernelCosts kernels(profile, platform);
    const PlanWork work = work_of(sample.plan, PriceList(platform, kernels));
    const std::vector<RankTimeline> timelines = walk(work, options);
    for (std::size_t i = 0; i < timelines.size(); ++i) {
      const RankWork& own = work.ranks[i];
      if (std::count(own.lanes.begin(), own.lanes.end(), 0) != std::ssize(own.lanes)) continue;
      const auto spans = spans_of(own, timelines[i], options);
      for (const OperationIndex j : spans.indices()) {
        const double all_s = spans[j].end_s - spans[j].begin_s;
        CHECK(std::abs(all_s - timelines[i].durations_s[j]) < 1e-9);
        CHECK(spans[j].begin_s >= options.begin_s);
      }
    }
  }
}

TEST_CASE("predicted_step: memory ends as it begins, and stays within what the rank needs") {
  for (const NamedPlan& sample : sample_plans()) {
    CAPTURE(sample.name);
    const Platform platform = default_platform(sample.plan.ranks);
    const Profile profile;
    const KernelCosts kernels(profile, platform);
    const PriceList prices(platform, kernels);
    const PredictedStep step = predicted_step(sample.plan, prices, std::nullopt);
    const std::int64_t needed = predict(sample.plan, prices).memory.total_bytes();
    for (const TracedRank& rank : step.ranks) {
      const std::vector<MemoryChange>& changes = rank.memory;
      REQUIRE(!changes.empty());
      std::int64_t most = 0;
      for (const MemoryChange& change : changes) most = std::max(most, change.bytes);
      CHECK(most <= needed);
      CHECK(changes.front().bytes > 0);
      // All buffers of the arena are free at the end.
      CHECK(changes.back().bytes <= changes.front().bytes);
    }
  }
}

}  // namespace cnnplan::test
