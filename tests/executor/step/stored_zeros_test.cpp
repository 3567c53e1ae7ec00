// Tests steps on an emulated device that stores channels of zeros with samples and their weight.
#include <cstring>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "executor/step/device_values.hpp"
#include "planner/schedule/rank_memory.hpp"
#include "tests/emulation/device.hpp"
#include "tests/executor/training/device_training.hpp"

namespace cnnplan::test {
namespace {

constexpr std::int64_t channels = 2;  // of the samples of device_network()
constexpr std::int64_t stored = 8;

Plan plan_on(int ranks) {
  Plan plan = uniform_plan(device_network(), 4, Mesh({{Axis::h, ranks}}));
  plan.precision = Precision::bf16;
  return plan;
}

SlotIndex weight_of(const Schedule& schedule, LayerIndex layer) {
  for (const SlotIndex i : schedule.slots.indices()) {
    const ParameterSlot& slot = schedule.slots[i];
    if (slot.layer == layer && slot.role == ParameterRole::weight) return i;
  }
  return {};
}

// Returns the first elements of a slot, as they lie in memory of the device.
std::vector<float> floats_of(const ParameterStore& store,
                             ParameterArena arena,
                             SlotIndex slot,
                             std::int64_t count) {
  const std::vector<std::byte> bytes =
      download(store.device(), store.address(arena, slot), count * bytes_of(ElementType::fp32));
  std::vector<float> values(count);
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

void run_steps(DeviceTraining& training) {
  for (int step = 0; step < 3; ++step) {
    training.runner.run(
        {.step = step, .learning_rate = 0.05, .momentum = 0.9, .weight_decay = 1e-2},
        Timing::operations);
  }
}

}  // namespace

TEST_CASE("Stored zeros: weights, gradients and momentum have them, and users do not see them") {
  const Communicator world = Communicator::world();
  emulation::reset();
  const auto backend = make_backend("cudnn", {.deterministic = true, .engine_trials = 1});
  DeviceTraining training(plan_on(world.size()), *backend, world);
  const SlotIndex slot = weight_of(training.schedule, training.schedule.data_reader);
  const std::int64_t elements = training.schedule.slots[slot].elements;
  const std::vector<double> first = training.parameters.plain(ParameterArena::weights, slot);
  run_steps(training);
  for (const ParameterArena arena :
       {ParameterArena::weights, ParameterArena::gradients, ParameterArena::momentum}) {
    CAPTURE(static_cast<int>(arena));
    std::int64_t real = 0;
    std::int64_t added = 0;
    std::int64_t place = 0;
    for (float value : floats_of(training.parameters, arena, slot, elements / channels * stored)) {
      if (value != 0.0F) ++(place % stored < channels ? real : added);
      ++place;
    }
    CHECK(real == elements);
    CHECK(added == 0);
    CHECK(training.parameters.plain(arena, slot).size() == elements);
  }
  CHECK(training.parameters.plain(ParameterArena::weights, slot) != first);
}

TEST_CASE("Stored zeros: a rank has the memory that the prediction counts") {
  const Communicator world = Communicator::world();
  emulation::reset();
  const auto backend = make_backend("cudnn", {.deterministic = true, .engine_trials = 1});
  const DeviceTraining training(plan_on(world.size()), *backend, world);
  const Schedule& schedule = training.schedule;
  std::int64_t planned = memory_of(schedule, {.device = DeviceKind::gpu}).activations_bytes;
  for (const Buffer& buffer : schedule.buffers) {
    const bool is_apart = buffer.role == BufferRole::labels || buffer.role == BufferRole::loss;
    if (is_apart) planned += buffer.bytes;
  }
  CHECK(training.runner.memory().bytes() == planned);
  CHECK(training.parameters.bytes() - training.parameters.running().bytes() ==
        memory_of(schedule, {.device = DeviceKind::gpu}).parameters_bytes);
  CHECK(planned > memory_of(schedule).activations_bytes + schedule.buffers[schedule.data].bytes);
}

TEST_CASE("Stored zeros: the first step computes what one without them computes") {
  const Communicator self =
      Communicator::group(Communicator::world(), {Communicator::world().rank()});
  emulation::reset();
  const auto device = make_backend("cudnn", {.deterministic = true, .engine_trials = 1});
  const auto host = make_backend("reference");
  DeviceTraining on_device(plan_on(1), *device, self);
  DeviceTraining on_host(plan_on(1), *host, self);
  on_device.runner.run({}, Timing::operations);
  on_host.runner.run({}, Timing::operations);
  constexpr double bf16_tolerance = 1e-2;
  CHECK(on_device.runner.loss() == doctest::Approx(on_host.runner.loss()).epsilon(bf16_tolerance));
}

}  // namespace cnnplan::test
