// Tests steps on an emulated device that load data of the coming step: when they read, where errors
// come out, and the bits.
#include <array>
#include <functional>
#include <memory>
#include <vector>

#include <doctest/doctest.h>

#include "executor/data/synthetic_data.hpp"
#include "executor/step/step_runner.hpp"
#include "planner/base/error.hpp"
#include "planner/schedule/schedule.hpp"
#include "planner/tensor/enumerators.hpp"
#include "tests/emulation/device.hpp"
#include "tests/executor/training/device_training.hpp"

namespace cnnplan::test {
namespace {

constexpr std::int64_t steps = 4;
constexpr std::int64_t no_step = -1;

// Has other samples and labels in each step, and remembers which steps were read.
class ChangingData final : public DataSource {
 public:
  ChangingData(const BatchShape& batch, std::int64_t broken_step)
      : batch_(batch), broken_step_(broken_step) {}

  std::int64_t sample_count() const override { return steps * batch_.samples[Dim::n]; }
  std::int64_t step_count() const override { return steps; }
  std::int64_t valid_count(std::int64_t) const override { return batch_.samples[Dim::n]; }
  void read_samples(std::int64_t step, const TensorView& samples) override {
    read.push_back(step);
    if (step == broken_step_) throw IoError("broken");
    of(step).read_samples(0, samples);
  }
  void read_labels(std::int64_t step, const TensorView& labels) override {
    of(step).read_labels(0, labels);
  }

  std::vector<std::int64_t> read;

 private:
  SyntheticData of(std::int64_t step) const {
    return SyntheticData(batch_, 1 + static_cast<std::uint64_t>(step));
  }

  BatchShape batch_;
  std::int64_t broken_step_;
};

// In 16 bits, the device stores more channels of samples than the host reads.
Plan plan_in(Precision precision, int ranks) {
  Plan plan = uniform_plan(device_network(), 4, Mesh({{Axis::n, ranks}}));
  plan.precision = precision;
  return plan;
}

// Holds a training whose data change.
struct ChangingTraining {
  ChangingTraining(Backend& backend,
                   const Communicator& world,
                   bool is_ahead,
                   std::int64_t broken_step = no_step,
                   Precision precision = Precision::fp32)
      : plan(plan_in(precision, world.size())),
        schedule(lower(plan, world.rank())),
        parameters(schedule, plan.network, plan.precision, backend),
        groups(world),
        data(batch_shape(plan.network, plan.batch, plan.precision), broken_step),
        runner(schedule,
               {.backend = &backend,
                .parameters = &parameters,
                .groups = &groups,
                .data = &data,
                .in_place_of_communication = {},
                .before_updates =
                    [this](double) { read_before_updates.push_back(std::ssize(data.read)); },
                .graphs = Graphs::preferred,
                .loads_ahead = is_ahead ? [](std::int64_t step) { return step < steps; }
                                        : std::function<bool(std::int64_t)>()}) {
    initialize(parameters, plan.network, 1);
  }

  void run(std::int64_t step) {
    runner.run({.step = step, .learning_rate = 0.01, .momentum = 0.9}, Timing::step);
  }

  Plan plan;
  Schedule schedule;
  ParameterStore parameters;
  Groups groups;
  ChangingData data;
  std::vector<std::int64_t> read_before_updates;  // steps that were read, by step
  StepRunner runner;
};

// Returns the loss and the weights after each step.
std::vector<double> train(Backend& backend,
                          const Communicator& world,
                          bool is_ahead,
                          Precision precision) {
  ChangingTraining training(backend, world, is_ahead, no_step, precision);
  std::vector<double> numbers;
  for (std::int64_t step = 0; step < steps; ++step) {
    training.run(step);
    numbers.push_back(training.runner.loss());
    for (const SlotIndex slot : training.parameters.slots().indices()) {
      const std::vector<double> weights = training.parameters.plain(ParameterArena::weights, slot);
      numbers.insert(numbers.end(), weights.begin(), weights.end());
    }
  }
  CHECK(training.data.read == std::vector<std::int64_t>{0, 1, 2, 3});
  return numbers;
}

std::unique_ptr<Backend> make_device() {
  return make_backend("cudnn", {.deterministic = true, .engine_trials = 1});
}

}  // namespace

TEST_CASE("Load ahead: data that come during the step before leave the same bits") {
  const Communicator world = Communicator::world();
  const std::array orders{emulation::Options{},
                          emulation::Options{.schedule = emulation::Schedule::random, .seed = 1},
                          emulation::Options{.schedule = emulation::Schedule::random, .seed = 2},
                          emulation::Options{.schedule = emulation::Schedule::eager}};
  for (const emulation::Options& order : orders) {
    emulation::reset(order);
    const auto backend = make_device();
    for (const Precision precision : {Precision::fp32, Precision::bf16}) {
      CAPTURE(to_text(precision));
      CHECK(train(*backend, world, true, precision) == train(*backend, world, false, precision));
    }
  }
}

TEST_CASE("Load ahead: a step reads and uploads the coming step's data before it updates weights") {
  const Communicator world = Communicator::world();
  emulation::reset();
  const auto backend = make_device();
  ChangingTraining training(*backend, world, true);
  CHECK(training.runner.memory_bytes() >
        ChangingTraining(*backend, world, false).runner.memory_bytes());
  std::vector<std::int64_t> copied{emulation::counters().copied_bytes};
  for (std::int64_t step = 0; step < steps; ++step) {
    training.run(step);
    copied.push_back(emulation::counters().copied_bytes);
  }
  CHECK(training.read_before_updates == std::vector<std::int64_t>{2, 3, 4, 4});
  // The first step uploads data of two steps, and the last one none.
  const std::int64_t once = copied[2] - copied[1];
  CHECK(copied[1] - copied[0] > once);
  CHECK(copied[3] - copied[2] == once);
  CHECK(copied[4] - copied[3] < once);
  CHECK(copied[1] - copied[0] - once == once - (copied[4] - copied[3]));
}

TEST_CASE("Load ahead: an error comes out in the step whose data it belongs to") {
  const Communicator world = Communicator::world();
  emulation::reset();
  const auto backend = make_device();
  ChangingTraining training(*backend, world, true, 2);
  CHECK_NOTHROW(training.run(0));
  CHECK_NOTHROW(training.run(1));
  CHECK_THROWS_AS(training.run(2), IoError);
}

TEST_CASE("Load ahead: a step that runs again reads its own data") {
  const Communicator world = Communicator::world();
  emulation::reset();
  const auto backend = make_device();
  ChangingTraining training(*backend, world, true);
  training.run(0);
  training.run(0);
  CHECK(training.data.read == std::vector<std::int64_t>{0, 1, 0, 1});
}

}  // namespace cnnplan::test
