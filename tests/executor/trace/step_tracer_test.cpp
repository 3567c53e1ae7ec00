// Tests the trace of whole trainings, whose ranks have clocks that differ.
#include "executor/trace/step_tracer.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <span>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "executor/training/trainer.hpp"
#include "planner/base/error.hpp"
#include "tests/executor/tested_backend.hpp"
#include "tests/executor/trace/skewed_clock.hpp"
#include "tests/planner/trace/halo_plan.hpp"

namespace cnnplan::test {
namespace {

constexpr Range traced{1, 4};

// A device chooses engines by their times, so only deterministic kernels give equal bits in two
// trainings.
TrainingOptions five_steps() {
  TrainingOptions options;
  options.deterministic = true;
  options.backend = tested_backend("reference");
  options.steps = 5;
  return options;
}

// Trains with clocks that differ, and traces some of the steps.
RunReport traced_training(const Plan& plan, const Skew& skew, const Communicator& world) {
  TrainingOptions options = five_steps();
  options.traced_steps = traced;
  options.hooks.clock = face_of(skew);
  return train(plan, options, world, {});
}

std::int64_t end_of(const OperationTimes& times, std::size_t i) {
  return times.begin_ns[i] + times.duration_ns[i];
}

// Returns the latest begin of an operation in a step, over all ranks that have it.
std::int64_t last_begin(const MeasuredSteps& trace, int place, std::size_t step) {
  std::int64_t last_ns = 0;
  for (const RankTimes& rank : trace.ranks) {
    const auto found = std::find(rank.operations.begin(), rank.operations.end(), place);
    if (found == rank.operations.end()) continue;
    last_ns = std::max(last_ns, rank.steps[step].begin_ns[found - rank.operations.begin()]);
  }
  return last_ns;
}

std::vector<std::string> ids_of(const RankTimes& rank, const RunReport& report) {
  std::vector<std::string> ids;
  for (const int place : rank.operations) ids.push_back(report.operations.at(place).id);
  return ids;
}

std::vector<std::string> ids_of(const Schedule& schedule) {
  std::vector<std::string> ids;
  for (const Operation& operation : schedule.operations) ids.push_back(operation.id);
  return ids;
}

// Returns the ids of collectives. Their group is all ranks in this plan.
std::set<std::string> sums_of(const Schedule& schedule) {
  std::set<std::string> ids;
  for (const Operation& operation : schedule.operations) {
    if (std::holds_alternative<CollectiveOperation>(operation.body)) ids.insert(operation.id);
  }
  return ids;
}

}  // namespace

TEST_CASE("train: a trace has all operations of all ranks, in order") {
  const Communicator world = Communicator::world();
  const Plan plan = halo_plan(world.size());
  const RunReport report = traced_training(plan, skew_of(world.rank(), world), world);
  CHECK(report.trace.has_value() == (world.rank() == 0));
  if (!report.trace) return;
  CHECK(report.trace->first_step == traced.begin);
  REQUIRE(report.trace->ranks.size() == static_cast<std::size_t>(world.size()));
  std::int64_t first_ns = 1;
  for (int rank = 0; rank < world.size(); ++rank) {
    const RankTimes& own = report.trace->ranks[rank];
    CHECK(ids_of(own, report) == ids_of(lower(plan, rank)));
    REQUIRE(own.steps.size() == static_cast<std::size_t>(traced.size()));
    std::int64_t before_ns = 0;
    for (const OperationTimes& times : own.steps) {
      REQUIRE(times.begin_ns.size() == own.operations.size());
      REQUIRE(times.duration_ns.size() == own.operations.size());
      for (std::size_t i = 0; i < own.operations.size(); ++i) {
        CHECK(times.begin_ns[i] >= before_ns);
        before_ns = end_of(times, i);
        first_ns = std::min(first_ns, times.begin_ns[i]);
      }
    }
  }
  CHECK(first_ns == 0);
}

TEST_CASE("train: a trace has one clock, although the ranks have several") {
  const Communicator world = Communicator::world();
  const Plan plan = halo_plan(world.size());
  const Skew skew = skew_of(world.rank(), world);
  const auto skews = world.gather(std::span<const Skew>(&skew, 1), 0);
  const RunReport report = traced_training(plan, skew, world);
  if (!report.trace) return;
  const std::set<std::string> sums = sums_of(lower(plan, 0));
  for (const RankTimes& rank : report.trace->ranks) {
    const Skew& own = skews[&rank - report.trace->ranks.data()][0];
    const auto offset_s = 1e-9 * static_cast<double>(own.offset_ns - skews[0][0].offset_ns);
    // The clocks drift from the origin to the first step.
    CHECK(std::abs(rank.clock.offset_s - offset_s) < 0.1);
    const auto round_trip_ns = std::llround(1e9 * rank.clock.round_trip_s);
    for (std::size_t step = 0; step < rank.steps.size(); ++step) {
      for (std::size_t i = 0; i < rank.operations.size(); ++i) {
        if (!sums.contains(report.operations[rank.operations[i]].id)) continue;
        // No rank has a sum before the last rank has begun it. All ranks have errors of clocks.
        std::int64_t most_ns = round_trip_ns;
        for (const RankTimes& other : report.trace->ranks) {
          most_ns = std::max<std::int64_t>(most_ns, std::llround(1e9 * other.clock.round_trip_s));
        }
        CHECK(end_of(rank.steps[step], i) + 4 * most_ns >=
              last_begin(*report.trace, rank.operations[i], step));
      }
    }
  }
}

TEST_CASE("train: a trace changes no result, and there is none unless it is asked for") {
  const Communicator world = Communicator::world();
  const Plan plan = halo_plan(world.size());
  const RunReport without = train(plan, five_steps(), world, {});
  CHECK(!without.trace.has_value());
  CHECK(traced_training(plan, {}, world).loss == without.loss);
}

TEST_CASE("train: traced steps that are not trained are refused") {
  const Communicator world = Communicator::world();
  const Plan plan = halo_plan(world.size());
  TrainingOptions options = five_steps();
  options.traced_steps = Range{4, 6};
  CHECK_THROWS_WITH_AS(
      train(plan, options, world, {}), doctest::Contains("--trace-steps 4:6"), Error);
  options.traced_steps = Range{4, 5};
  CHECK_NOTHROW(train(plan, options, world, {}));
}

TEST_CASE("train: more operations than a run file should have are refused before the first step") {
  const Communicator world = Communicator::world();
  TrainingOptions options = five_steps();
  options.steps = std::int64_t{1} << 40;
  options.traced_steps = Range{0, options.steps};
  CHECK_THROWS_AS(train(halo_plan(world.size()), options, world, {}), InfeasibleError);
}

}  // namespace cnnplan::test
