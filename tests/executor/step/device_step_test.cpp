// Tests steps on an emulated device: graphs, times, named implementations, errors and leaks.
#include <array>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include <cuda_runtime_api.h>
#include <cudnn.h>
#include <doctest/doctest.h>

#include "executor/training/trainer.hpp"
#include "planner/base/error.hpp"
#include "planner/tensor/enumerators.hpp"
#include "tests/emulation/device.hpp"
#include "tests/executor/training/device_training.hpp"

namespace cnnplan::test {
namespace {

using std::string_literals::operator""s;

constexpr int steps = 5;

Plan plan_on(int ranks, Precision precision) {
  Plan plan = uniform_plan(device_network(), 4, Mesh({{Axis::h, ranks}}));
  plan.precision = precision;
  return plan;
}

std::unique_ptr<Backend> make_device() {
  return make_backend("cudnn", {.deterministic = true, .engine_trials = 2});
}

// Returns settings that differ from step to step.
StepState state_of(int step) {
  return {.seed = 3 + static_cast<std::uint64_t>(step) / 3,
          .step = step,
          .learning_rate = 0.01 * (1 + step),
          .momentum = 0.9 - 0.1 * step,
          .weight_decay = 1e-3 * step,
          .loss_scale = step % 2 == 0 ? 1.0 : 8.0};
}

enum class Mode { operations, step, graphs, mixed };

Timing timing_of(Mode mode, int step) {
  if (mode == Mode::operations) return Timing::operations;
  return mode == Mode::mixed && step % 2 == 1 ? Timing::operations : Timing::step;
}

// Returns the numbers that each step leaves behind.
std::vector<std::vector<std::vector<double>>> run_steps(const Plan& plan,
                                                        Backend& backend,
                                                        const Communicator& world,
                                                        Mode mode) {
  const bool graphs = mode == Mode::graphs || mode == Mode::mixed;
  DeviceTraining training(plan, backend, world, graphs ? Graphs::on : Graphs::off);
  std::vector<std::vector<std::vector<double>>> all;
  for (int step = 0; step < steps; ++step) {
    training.runner.run(state_of(step), timing_of(mode, step));
    all.push_back(training.numbers());
  }
  return all;
}

std::int64_t graph_launches(const std::function<void()>& action) {
  const std::int64_t before = emulation::counters().graph_launches;
  action();
  return emulation::counters().graph_launches - before;
}

const std::array schedules{emulation::Options{},
                           emulation::Options{.schedule = emulation::Schedule::random, .seed = 1},
                           emulation::Options{.schedule = emulation::Schedule::random, .seed = 2},
                           emulation::Options{.schedule = emulation::Schedule::eager}};

// Returns a plan on one rank whose convolutions all name one engine, which is sure to exist.
Plan with_engine(Plan plan, const std::string& name) {
  for (const Operation& operation : lower(plan, 0).operations) {
    const auto* kernel = std::get_if<KernelOperation>(&operation.body);
    if (kernel == nullptr || kernel->spec.kind != KernelKind::convolution) continue;
    plan.implementations[to_text(canonical(kernel->spec))] = name;
  }
  return plan;
}

template <typename Error>
std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

std::string joined(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) all += text + "; ";
  return all;
}

void train_once(const Communicator& world, bool graphs) {
  const auto backend = make_device();
  DeviceTraining training(
      plan_on(world.size(), Precision::bf16), *backend, world, graphs ? Graphs::on : Graphs::off);
  for (int step = 0; step < 3; ++step) training.runner.run(state_of(step), Timing::step);
}

}  // namespace

TEST_CASE("StepRunner: graphs and timed operations compute the same bits as plain steps") {
  const Communicator world = Communicator::world();
  for (const emulation::Options& options : schedules) {
    emulation::reset(options);
    const auto backend = make_device();
    for (Precision precision : Enumerators<Precision>::all) {
      CAPTURE(to_text(precision));
      const Plan plan = plan_on(world.size(), precision);
      const auto run = [&](Mode mode) { return run_steps(plan, *backend, world, mode); };
      const auto expected = run(Mode::operations);
      CHECK(graph_launches([&] { CHECK(run(Mode::step) == expected); }) == 0);
      const std::int64_t launches = graph_launches([&] { CHECK(run(Mode::graphs) == expected); });
      CHECK(launches > 0);
      CHECK(launches % (steps - 1) == 0);
      CHECK(graph_launches([&] { CHECK(run(Mode::mixed) == expected); }) == launches);
    }
  }
}

TEST_CASE("StepRunner: on one rank a step is one graph, and its kernels are those of the list") {
  const Communicator world = Communicator::world();
  const Communicator self = Communicator::group(world, {world.rank()});
  emulation::reset();
  const auto backend = make_device();
  DeviceTraining training(plan_on(1, Precision::fp32), *backend, self, Graphs::on);
  training.runner.run(state_of(0), Timing::step);
  const emulation::Counters first = emulation::counters();
  training.runner.run(state_of(1), Timing::step);
  const emulation::Counters second = emulation::counters();
  training.runner.run(state_of(2), Timing::operations);
  const emulation::Counters third = emulation::counters();
  CHECK(second.graph_launches == first.graph_launches + 1);
  CHECK(third.graph_launches == second.graph_launches + 1);
  CHECK(third.kernels - second.kernels == second.kernels - first.kernels);
  CHECK(third.allocations == first.allocations);
}

TEST_CASE("StepRunner: kernels that cannot be captured run singly, unless graphs are required") {
  const Communicator world = Communicator::world();
  const Communicator self = Communicator::group(world, {world.rank()});
  const Plan plan = plan_on(1, Precision::fp32);
  emulation::reset();
  const auto backend = make_device();
  const auto expected = run_steps(plan, *backend, self, Mode::step);
  for (const std::string function : {"kernel", "cudaGraphInstantiate"}) {
    for (Graphs graphs : {Graphs::automatic, Graphs::on}) {
      DeviceTraining training(plan, *backend, self, graphs);
      training.runner.run(state_of(0), Timing::step);
      CHECK(training.numbers() == expected[0]);
      const std::int64_t launches = emulation::counters().graph_launches;
      emulation::fail(function, 1, cudaErrorUnknown);
      const auto run = [&](int step) { training.runner.run(state_of(step), Timing::step); };
      if (graphs == Graphs::on) {
        CHECK_THROWS_AS(run(1), BackendError);
        continue;
      }
      for (int step = 1; step < steps; ++step) {
        run(step);
        CHECK(training.numbers() == expected[static_cast<std::size_t>(step)]);
      }
      CHECK(emulation::counters().graph_launches == launches);
    }
  }
}

TEST_CASE("StepRunner: times every operation, or only the whole step") {
  const Communicator world = Communicator::world();
  emulation::reset();
  const auto backend = make_device();
  DeviceTraining training(plan_on(world.size(), Precision::fp32), *backend, world, Graphs::on);
  training.runner.run(state_of(0));
  CHECK(training.runner.operation_times_s().size() == training.schedule.operations.size());
  for (double time_s : training.runner.operation_times_s()) {
    CHECK(time_s >= 0.0);
    CHECK(time_s <= training.runner.step_time_s());
  }
  training.runner.run(state_of(1), Timing::step);
  CHECK(training.runner.operation_times_s().empty());
}

TEST_CASE("StepRunner: a plan that names engines runs them, and nothing is tried") {
  const Communicator world = Communicator::world();
  const Communicator self = Communicator::group(world, {world.rank()});
  emulation::reset();
  const auto backend = make_backend("cudnn");
  const std::string tiled_engine = "engine 1 k" + std::to_string(CUDNN_KNOB_TYPE_TILE_SIZE) + "=4";
  for (const std::string& name : {"engine 0"s, "engine 1"s, "engine 2"s, tiled_engine}) {
    CAPTURE(name);
    const auto executed = emulation::calls("cudnnBackendExecute");
    const Plan plan = with_engine(plan_on(1, Precision::tf32), name);
    DeviceTraining training(plan, *backend, self);
    CHECK(emulation::calls("cudnnBackendExecute") == executed);
    std::int64_t convolutions = 0;
    for (const OperationIndex i : training.schedule.operations.indices()) {
      const auto* kernel = std::get_if<KernelOperation>(&training.schedule.operations[i].body);
      if (kernel == nullptr || kernel->spec.kind != KernelKind::convolution) continue;
      ++convolutions;
      CHECK(training.runner.implementation(i) == name);
    }
    training.runner.run(state_of(0));
    CHECK(emulation::calls("cudnnBackendExecute") == executed + convolutions);
  }
}

TEST_CASE("StepRunner: an engine that is not known or does not fit is named") {
  const Communicator world = Communicator::world();
  const Communicator self = Communicator::group(world, {world.rank()});
  emulation::reset();
  const auto backend = make_device();
  for (const std::string name : {"engine 4711", "engine 3", "loops", "engine 1 k1=1"}) {
    const Plan plan = with_engine(plan_on(1, Precision::fp32), name);
    const std::string message =
        message_of<BackendError>([&] { DeviceTraining(plan, *backend, self); });
    CHECK_MESSAGE(message.find('"' + name + '"') != std::string::npos, name, ": ", message);
  }
}

TEST_CASE("StepRunner: a deterministic backend refuses a named engine that is not deterministic") {
  const Communicator world = Communicator::world();
  const Communicator self = Communicator::group(world, {world.rank()});
  emulation::reset();
  const auto backend = make_device();
  const Plan plan = with_engine(plan_on(1, Precision::tf32), "engine 2");
  const std::string message =
      message_of<BackendError>([&] { DeviceTraining(plan, *backend, self); });
  CHECK(message.find("other bits every time") != std::string::npos);
}

TEST_CASE("StepRunner: cuDNN is told of no queue in which it runs nothing") {
  const Communicator world = Communicator::world();
  emulation::reset();
  const auto backend = make_device();
  Plan plan = plan_on(world.size(), Precision::fp32);
  plan.overlap = true;
  DeviceTraining training(plan, *backend, world);
  for (int step = 0; step < 2; ++step) training.runner.run(state_of(step));
  CHECK(emulation::calls("cudnnSetStream") == 1);
}

TEST_CASE("StepRunner: nothing is left on the device") {
  const Communicator world = Communicator::world();
  for (bool graphs : {false, true}) {
    emulation::reset();
    train_once(world, graphs);
    CHECK(joined(emulation::leaks()) == "");
  }
}

TEST_CASE("StepRunner: a device without room ends with the missing bytes, and without leaks") {
  const Communicator world = Communicator::world();
  const Communicator self = Communicator::group(world, {world.rank()});
  emulation::reset();
  train_once(self, false);
  const std::int64_t allocations = emulation::counters().allocations;
  int refused = 0;
  for (int nth = 1; nth <= allocations; ++nth) {
    emulation::reset();
    emulation::fail("cudaMalloc", nth, cudaErrorMemoryAllocation);
    try {
      train_once(self, false);  // The trial may find an engine that needs less.
    } catch (const InfeasibleError& error) {
      ++refused;
      CHECK(error.exit_code() == ExitCode::infeasible);
      CHECK(std::string(error.what()).find("Emulated GPU: memory") != std::string::npos);
    }
    CHECK(joined(emulation::leaks()) == "");
  }
  CHECK(refused > allocations / 2);
}

TEST_CASE("StepRunner: calls that fail are named, and leave nothing behind") {
  const Communicator world = Communicator::world();
  const Communicator self = Communicator::group(world, {world.rank()});
  for (const std::string function : {"cudaMallocHost",
                                     "cudaStreamCreateWithPriority",
                                     "cudaEventCreateWithFlags",
                                     "cudaMemsetAsync",
                                     "cudaMemcpyAsync",
                                     "cudaStreamSynchronize",
                                     "cudnnCreate",
                                     "cudnnSetStream"}) {
    for (int nth : {1, 3}) {
      CAPTURE(function);
      CAPTURE(nth);
      emulation::reset();
      train_once(self, false);
      if (emulation::calls(function) < nth) continue;
      emulation::reset();
      const bool is_cudnn = function.starts_with("cudnn");
      emulation::fail(
          function, nth, is_cudnn ? int{CUDNN_STATUS_INTERNAL_ERROR} : int{cudaErrorUnknown});
      const std::string message = message_of<BackendError>([&] { train_once(self, false); });
      CHECK_MESSAGE(message.find(function) != std::string::npos, message);
      CHECK(joined(emulation::leaks()) == "");
    }
  }
}

TEST_CASE("StepRunner: a kernel that cannot be launched, and work that fails when it runs") {
  const Communicator world = Communicator::world();
  const Communicator self = Communicator::group(world, {world.rank()});
  for (const std::string what : {"kernel", "work"}) {
    for (int nth : {1, 5}) {
      emulation::reset();
      const auto backend = make_device();
      DeviceTraining training(plan_on(1, Precision::fp32), *backend, self);
      emulation::fail(what, nth, cudaErrorLaunchFailure);
      const std::string message =
          message_of<DeviceLostError>([&] { training.runner.run(state_of(0)); });
      CHECK_MESSAGE(message.find("unspecified launch failure") != std::string::npos, message);
      CHECK((what == "kernel") == (message.find("kernel launch") != std::string::npos));
    }
  }
}

TEST_CASE("train: steps count only after steps with and without graphs were tried") {
  const Communicator world = Communicator::world();
  const Plan plan = plan_on(world.size(), Precision::fp32);
  const auto counted = [&](Graphs graphs, std::int64_t all_steps) {
    emulation::reset();
    const TrainingOptions options{
        .backend = "cudnn", .graphs = graphs, .steps = all_steps, .warmup = 2};
    const RunReport report = train(plan, options, world, {});
    CHECK((world.rank() != 0 || !report.operations.empty()));
    return world.broadcast(std::int64_t{report.step.count}, 0);
  };
  constexpr int settled = 2 + GraphChoice::settling_steps;
  CHECK(counted(Graphs::off, 6) == 4);
  // Every fourth of the other steps times operations instead of the step. If there are fewer steps,
  // the last one does.
  CHECK(counted(Graphs::on, 6) == 3);
  CHECK(counted(Graphs::on, 5) == 2);
  CHECK(counted(Graphs::on, 3) == 1);
  CHECK(counted(Graphs::on, 1) == 1);
  CHECK(counted(Graphs::automatic, settled + 8) == 6);
  CHECK(counted(Graphs::automatic, settled + 2) == 1);
  CHECK(counted(Graphs::automatic, settled + 1) == 6);
}

TEST_CASE("train: refuses a full device and a missing one") {
  const Communicator world = Communicator::world();
  const TrainingOptions options{.backend = "cudnn", .steps = 1};
  const Plan plan = plan_on(world.size(), Precision::fp32);
  const auto run = [&] { train(plan, options, world, {}); };
  emulation::reset({.memory_bytes = 4096});
  CHECK_THROWS_AS(run(), InfeasibleError);
  emulation::reset({.device_count = 0});
  CHECK_THROWS_AS(run(), EnvironmentError);
  emulation::reset();
  CHECK_NOTHROW(run());
}

}  // namespace cnnplan::test
