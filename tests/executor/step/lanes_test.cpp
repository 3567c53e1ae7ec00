// Tests groups of layers that run at the same time on threads: they give the bits of groups run in
// turn.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>
#include <sched.h>

#include "executor/backend/cpu_device.hpp"
#include "executor/data/synthetic_data.hpp"
#include "executor/step/bound_cores.hpp"
#include "executor/step/initializer.hpp"
#include "executor/step/lane_threads.hpp"
#include "executor/step/operation_ends.hpp"
#include "executor/step/step_runner.hpp"
#include "planner/schedule/schedule.hpp"
#include "tests/executor/training/training_run.hpp"
#include "tests/planner/network/random_chain.hpp"
#include "tests/slow_build.hpp"

namespace cnnplan::test {
namespace {

constexpr std::uint64_t random_plans = is_slow_build ? 8 : 30;

RunResult run(const Plan& plan, const std::string& backend, const Communicator& world) {
  return run_plan(plan, {.backend = backend}, world);
}

// Fails in the second step.
class FailingData final : public DataSource {
 public:
  explicit FailingData(const Plan& plan)
      : data_(batch_shape(plan.network, plan.batch, plan.precision), 1) {}
  std::int64_t sample_count() const override { return data_.sample_count(); }
  std::int64_t step_count() const override { return data_.step_count(); }
  std::int64_t valid_count(std::int64_t step) const override { return data_.valid_count(step); }
  void read_samples(std::int64_t step, const TensorView& samples) override {
    if (step > 0) throw std::runtime_error("no more samples");
    data_.read_samples(step, samples);
  }
  void read_labels(std::int64_t step, const TensorView& labels) override {
    data_.read_labels(step, labels);
  }

 private:
  SyntheticData data_;
};

// Fails in the `nth` kernel that threads of lanes call, and else computes as the reference backend.
class FailingBackend final : public Backend {
 public:
  explicit FailingBackend(int nth) : calls_left_(nth) {}
  bool has_failed() const { return calls_left_ <= 0; }
  int calls() const { return calls_; }  // counts kernels

  DeviceFingerprint fingerprint() const override { return inner_->fingerprint(); }
  bool supports(Precision precision) const override { return inner_->supports(precision); }
  Device& device() override { return inner_->device(); }
  std::int64_t weight_elements(const KernelSpec& convolution) const override {
    return inner_->weight_elements(convolution);
  }
  std::int64_t filter_block(const KernelSpec& convolution) const override {
    return inner_->filter_block(convolution);
  }
  void import_filters(const KernelSpec& convolution,
                      Range filters,
                      std::span<const double> plain,
                      void* weight) const override {
    inner_->import_filters(convolution, filters, plain, weight);
  }
  void export_filters(const KernelSpec& convolution,
                      Range filters,
                      const void* weight,
                      std::span<double> plain) const override {
    inner_->export_filters(convolution, filters, weight, plain);
  }
  std::unique_ptr<Kernel> make_kernel(const KernelSpec& spec,
                                      const KernelConstants& constants,
                                      const std::string& implementation) override {
    return std::make_unique<FailingKernel>(*this,
                                           inner_->make_kernel(spec, constants, implementation));
  }

 private:
  class FailingKernel final : public Kernel {
   public:
    FailingKernel(FailingBackend& owner, std::unique_ptr<Kernel> inner)
        : owner_(owner), inner_(std::move(inner)) {}
    void run(Operands operands, const StepState& state) override {
      owner_.call();
      inner_->run(operands, state);
    }
    std::string implementation() const override { return inner_->implementation(); }

   private:
    FailingBackend& owner_;
    std::unique_ptr<Kernel> inner_;
  };
  void call() {
    ++calls_;
    const bool in_lane = std::this_thread::get_id() != main_;
    if (in_lane && --calls_left_ == 0) throw std::runtime_error("a kernel in a lane");
  }

  std::unique_ptr<Backend> inner_ = make_backend("reference");
  std::thread::id main_ = std::this_thread::get_id();
  std::atomic<int> calls_left_;
  std::atomic<int> calls_ = 0;
};

}  // namespace

TEST_CASE("Lanes: groups at the same time leave the same bits as one after the other") {
  const Communicator world = Communicator::world();
  int lanes = 1;
  for (std::uint64_t seed = 0; seed < random_plans; ++seed) {
    CAPTURE(seed);
    Plan plan = random_chain_plan(seed, world.size());
    const std::string backend = seed % 2 == 0 ? "onednn" : "reference";
    const RunResult in_order = run(with_concurrency(plan, 1), backend, world);
    for (int concurrency : {2, 5}) {
      plan = with_concurrency(plan, concurrency);
      CHECK(run(plan, backend, world) == in_order);
      for (int rank = 0; rank < plan.ranks; ++rank) {
        lanes = std::max(lanes, lower(plan, rank).lanes);
      }
    }
  }
  CHECK(lanes > 2);
}

TEST_CASE("Lanes: data that fail end the step on all lanes") {
  const Communicator world = Communicator::world();
  const Communicator self = Communicator::group(world, {world.rank()});
  for (std::uint64_t seed = 0; seed < random_plans; ++seed) {
    const Plan plan = with_concurrency(random_chain_plan(seed, 1), 3);
    FailingData data(plan);
    CHECK_THROWS_WITH_AS(
        run_plan(plan, {.data = &data}, self), "no more samples", std::runtime_error);
  }
}

TEST_CASE("Lanes: a kernel that fails in one ends the step, and other ranks get their messages") {
  const Communicator world = Communicator::world();
  int failures = 0;
  int calls = 0;
  int calls_of_whole_steps = 0;
  for (std::uint64_t seed = 0; seed < random_plans; ++seed) {
    CAPTURE(seed);
    const Plan plan = with_concurrency(random_chain_plan(seed, world.size()), 3);
    const Schedule schedule = lower(plan, world.rank());
    constexpr int never = 1 << 30;
    FailingBackend backend(world.rank() == 0 ? 1 + static_cast<int>(seed % 7) : never);
    ParameterStore parameters(schedule, plan.network, plan.precision, backend);
    initialize(parameters, plan.network, 1);
    SyntheticData data(batch_shape(plan.network, plan.batch, plan.precision), 1);
    Groups groups(world);
    StepRunner runner(
        schedule,
        {.backend = &backend, .parameters = &parameters, .groups = &groups, .data = &data});
    std::string thrown;
    try {
      runner.run({.seed = 1});
    } catch (const std::runtime_error& error) {
      thrown = error.what();
    }
    CHECK(thrown == (backend.has_failed() ? "a kernel in a lane" : ""));
    const int calls_before = backend.calls();
    CHECK_NOTHROW(runner.run({.seed = 1, .step = 1}));
    if (!backend.has_failed()) continue;
    ++failures;
    calls += calls_before;
    calls_of_whole_steps += backend.calls() - calls_before;
  }
  CHECK((failures > 0) == (world.rank() == 0));
  // Operations that wait for the failed kernel do not run.
  CHECK(2 * calls <= calls_of_whole_steps);
}

TEST_CASE("Lanes: a rank with fewer cores than lanes is told how to get them") {
  cpu_set_t before;
  REQUIRE(sched_getaffinity(0, sizeof(before), &before) == 0);
  cpu_set_t one;
  CPU_ZERO(&one);
  for (int core = 0; CPU_COUNT(&one) == 0; ++core) {
    if (CPU_ISSET(core, &before)) CPU_SET(core, &one);
  }
  CpuDevice device;
  std::vector<std::string> told;
  const auto note = [&](const std::string& text) { told.push_back(text); };
  REQUIRE(sched_setaffinity(0, sizeof(one), &one) == 0);
  tell_few_cores({.lanes = 1}, device, note);
  CHECK(told.empty());
  tell_few_cores({.lanes = 3}, device, note);
  tell_few_cores({.lanes = 3}, device, nullptr);
  REQUIRE(sched_setaffinity(0, sizeof(before), &before) == 0);
  CHECK(told == std::vector<std::string>{"3 groups of layers run at the same time, but a rank may "
                                         "use 1 core: start it with mpirun --map-by slot:PE=3"});
}

TEST_CASE("OperationEnds: a failure belongs to its step") {
  OperationEnds ends(1);
  ends.begin_step();
  CHECK_FALSE(ends.failed());
  ends.fail();
  CHECK(ends.failed());
  ends.begin_step();
  CHECK_FALSE(ends.failed());
}

TEST_CASE("LaneThreads: all lanes are called, each in a thread of its own") {
  std::vector<std::thread::id> prepared(4);
  std::atomic<std::size_t> count = 0;
  LaneThreads threads(4, [&] { prepared[count++] = std::this_thread::get_id(); });
  for (int run = 0; run < 50; ++run) {
    std::vector<std::thread::id> called(4);
    threads.run(
        [&](int lane) { called[static_cast<std::size_t>(lane)] = std::this_thread::get_id(); });
    CHECK(called[0] == std::this_thread::get_id());
    CHECK(std::set(called.begin(), called.end()).size() == 4);
  }
  CHECK(count == 3);
}

TEST_CASE("LaneThreads: the exception of a lane is thrown once, after all lanes have ended") {
  LaneThreads threads(3, [] {});
  std::atomic<int> ended = 0;
  for (int failing : {0, 2}) {
    ended = 0;
    const auto task = [&](int lane) {
      if (lane == failing) throw std::runtime_error("lane " + std::to_string(lane));
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      ++ended;
    };
    CHECK_THROWS_WITH_AS(
        threads.run(task), ("lane " + std::to_string(failing)).c_str(), std::runtime_error);
    CHECK(ended == 2);
  }
  CHECK_NOTHROW(threads.run([](int) {}));
}

TEST_CASE("OperationEnds: a lane continues when the awaited operation has ended in this step") {
  OperationEnds ends(2);
  LaneThreads threads(2, [] {});
  int value = 0;
  for (int step = 1; step <= 200; ++step) {
    ends.begin_step();
    threads.run([&](int lane) {
      if (lane == 0) {
        ends.wait(1);
        CHECK(value == step);
      } else {
        value = step;
        ends.mark(1);
      }
    });
  }
}

}  // namespace cnnplan::test
