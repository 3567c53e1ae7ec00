// Tests groups of layers that run at the same time on emulated devices. The devices run their
// queues in any order, and the results have the same bits as those of one group after the other.
#include <algorithm>
#include <array>
#include <cstdint>

#include <doctest/doctest.h>

#include "planner/schedule/schedule.hpp"
#include "tests/emulation/device.hpp"
#include "tests/executor/training/device_training.hpp"
#include "tests/executor/training/residual_plan.hpp"
#include "tests/executor/training/training_run.hpp"
#include "tests/planner/network/random_chain.hpp"
#include "tests/slow_build.hpp"

namespace cnnplan::test {
namespace {

using emulation::Schedule;

constexpr std::uint64_t random_plans = is_slow_build ? 2 : 6;
constexpr std::array orders{Schedule::lazy, Schedule::random, Schedule::eager};

// Starts devices that run their queues in another order on each rank.
void start_device(Schedule schedule, std::uint64_t seed, const Communicator& world) {
  forget_backends();
  emulation::reset(
      {.schedule = schedule, .seed = 100 * seed + static_cast<std::uint64_t>(world.rank())});
}

}  // namespace

TEST_CASE("Lanes: in queues of a device, groups leave the same bits as one after the other") {
  const Communicator world = Communicator::world();
  int lanes = 1;
  for (std::uint64_t seed = 0; seed < random_plans; ++seed) {
    CAPTURE(seed);
    start_device(Schedule::lazy, seed, world);
    const Plan in_order = with_implementations(
        with_concurrency(random_chain_plan(seed, world.size()), 1), "cudnn", world);
    const RunResult expected = run_plan(in_order, {.backend = "cudnn"}, world);
    Plan plan = with_concurrency(in_order, 4);
    plan.overlap = seed % 2 == 0;
    lanes = std::max(lanes, lower(plan, world.rank()).lanes);
    for (Schedule schedule : orders) {
      start_device(schedule, seed, world);
      for (bool graphs : {false, true}) {
        const RunSetup setup{.backend = "cudnn", .overlap = plan.overlap, .graphs = graphs};
        CHECK(run_plan(plan, setup, world) == expected);
      }
    }
  }
  CHECK(world.maximum(lanes) > 2);
}

TEST_CASE("Lanes: a group of layers is a graph in every sweep") {
  const Communicator world = Communicator::world();
  if (world.size() > 1) return;  // messages cut graphs
  constexpr int cycles = 2;
  for (const Relaxation relaxation : {Relaxation::f, Relaxation::fcf}) {
    CAPTURE(to_text(relaxation));
    start_device(Schedule::lazy, 1, world);
    Plan plan = with_concurrency(residual_plan(1, cycles), 2);
    plan.multigrid[0].relaxation = relaxation;
    const int sweeps = cycles * (relaxation == Relaxation::f ? 1 : 2) + 1;
    const RunSetup setup{.backend = "cudnn", .graphs = true};
    run_plan(plan, setup, world);  // chooses engines, for which it has graphs, too
    const std::int64_t before = emulation::counters().graph_launches;
    run_plan(plan, setup, world);
    // The first of the two steps has no graphs. In the second one, forward and backward have a
    // graph for each group and sweep. Updates are in no graph with other kernels, and they are too
    // few for one of their own.
    CHECK(emulation::counters().graph_launches - before == 2 * sweeps * coarse_steps);
  }
}

TEST_CASE("Lanes: the events that timing adds are counted in the lane that has most") {
  const Communicator world = Communicator::world();
  if (world.size() > 1) return;  // one rank has them all
  forget_backends();
  constexpr double event_s = 1e-3;
  emulation::reset({.event_s = event_s});
  const auto backend = make_backend("cudnn", {.engine_trials = 1});
  const Plan plan = with_concurrency(residual_plan(1, 2), 2);
  DeviceTraining training(plan, *backend, world, Graphs::on);
  const auto second_step_s = [&training](Timing timing) {
    for (int step = 0; step < 2; ++step) training.runner.run({}, timing);
    return training.runner.step_time_s();
  };
  second_step_s(Timing::step);
  const double timed_s = second_step_s(Timing::operations);
  const double untimed_s = second_step_s(Timing::step);
  // The emulation runs one lane after the other.
  const double events = (timed_s - untimed_s) / event_s;
  const auto most = static_cast<double>(training.runner.graphs().added_events());
  CHECK(events > most);
  CHECK(events < 1.2 * training.schedule.lanes * most);
}

}  // namespace cnnplan::test
