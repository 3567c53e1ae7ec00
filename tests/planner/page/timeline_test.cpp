// Tests that the timeline of a step agrees with its prediction.
#include "planner/page/timeline.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include <doctest/doctest.h>

#include "planner/predict/predict.hpp"
#include "tests/planner/schedule/sample_plans.hpp"

namespace cnnplan::test {
namespace {

Plan lenet_plan(const char* mesh) {
  return uniform_plan(read_network("configs/networks/lenet.json"), 8, parse_mesh(mesh));
}

// Returns the mean over ranks of the time of each operation, by id.
std::map<std::string, double> mean_times(const Timeline& timeline) {
  std::map<std::string, double> sums_s;
  std::map<std::string, double> counts;
  for (const TimelineTrack& track : timeline.tracks) {
    const auto ranks = static_cast<double>(track.ranks.size());
    for (const TimelineEvent& event : track.events) {
      const std::string& id = timeline.operations[event.operation].id;
      sums_s[id] += ranks * (event.span.end_s - event.span.begin_s);
      counts[id] += ranks;
    }
  }
  for (auto& [id, sum_s] : sums_s) sum_s /= counts[id];
  return sums_s;
}

}  // namespace

TEST_CASE("Timeline: operations take the predicted times, and the last one ends the step") {
  for (const char* mesh : {"n4", "h2", "n2h2"}) {
    CAPTURE(mesh);
    const Plan plan = lenet_plan(mesh);
    const Platform platform = default_platform(plan.ranks);
    const KernelCosts kernels;
    const PriceList prices(platform, kernels);
    const Timeline timeline = timeline_of(plan, prices);
    const Prediction prediction = predict(plan, prices);
    CHECK(timeline.step_s == prediction.step_s);
    const auto times = mean_times(timeline);
    CHECK(times.size() == prediction.operations.size());
    for (const PredictedOperation& operation : prediction.operations) {
      CHECK(times.at(operation.id) == doctest::Approx(operation.predicted_s).epsilon(1e-9));
    }
    double end_s = 0.0;
    for (const TimelineTrack& track : timeline.tracks) {
      const TimelineEvent& last = track.events.back();
      end_s = std::max(end_s, last.span.end_s);
    }
    CHECK(end_s == doctest::Approx(timeline.step_s).epsilon(1e-9));
  }
}

TEST_CASE("Timeline: each rank is in one track, and ranks that do the same share one") {
  const Plan plan = lenet_plan("n4");
  const Platform platform = default_platform(plan.ranks);
  const KernelCosts kernels;
  const Timeline timeline = timeline_of(plan, PriceList(platform, kernels));
  REQUIRE(timeline.tracks.size() == 1);
  CHECK(timeline.tracks.front().ranks == std::vector<int>{0, 1, 2, 3});
}

TEST_CASE("Timeline: the arena suffices for its use, also where lanes run at the same time") {
  for (const NamedPlan& sample : chain_plans(6)) {
    CAPTURE(sample.name);
    const Platform platform = default_platform(sample.plan.ranks);
    const KernelCosts kernels;
    const PriceList prices(platform, kernels);
    const std::int64_t most = predict(sample.plan, prices).memory.activations_bytes;
    for (const MemoryChange& change : timeline_of(sample.plan, prices).memory.arena) {
      CHECK(change.bytes <= most);
    }
  }
}

TEST_CASE("Timeline: memory rises and falls, and ends with nothing more than it began with") {
  const Plan plan = lenet_plan("n2");
  const Platform platform = default_platform(plan.ranks);
  const KernelCosts kernels;
  const Timeline timeline = timeline_of(plan, PriceList(platform, kernels));
  std::int64_t most = 0;
  for (const MemoryChange& change : timeline.memory.arena) {
    CHECK(change.bytes >= 0);
    most = std::max(most, change.bytes);
  }
  CHECK(most > timeline.memory.arena.front().bytes);
  CHECK(timeline.memory.arena.back().bytes == 0);
}

}  // namespace cnnplan::test
