// Tests steps on emulated devices whose collectives NCCL runs: what waits for what, and the bits.
#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include <doctest/doctest.h>

#include "executor/comm/nccl_communicator.hpp"
#include "tests/emulation/device.hpp"
#include "tests/executor/training/device_training.hpp"

namespace cnnplan::test {
namespace {

// Returns a plan that splits samples, in which NCCL runs all collectives. Its batch norms sum over
// all ranks, and each layer with weights has a bucket of its own.
Plan plan_on(int ranks) {
  Convolution convolution{.filters = 8};
  convolution.window.dims[1] = {.kernel = 3, .padding_begin = 1, .padding_end = 1};
  convolution.window.dims[2] = convolution.window.dims[1];
  std::vector<Layer> layers{{"input", {}, Input{.channels = 8, .size = {1, 6, 4}}}};
  for (const std::string number : {"1", "2", "3"}) {
    layers.push_back({"conv" + number, {layers.back().name}, convolution});
    layers.push_back({"bn" + number, {layers.back().name}, BatchNorm{}});
  }
  layers.push_back({"fc", {layers.back().name}, FullyConnected{.outputs = 4}});
  layers.push_back({"loss", {"fc"}, SoftmaxCrossEntropy{}});
  Plan plan =
      uniform_plan(Network("chain", layers), std::int64_t{2} * ranks, Mesh({{Axis::n, ranks}}));
  for (LayerPlan& layer : plan.layers) layer.statistics = BatchNormStatistics::global;
  plan.bucket_bytes = 1;
  set_gradient_allreduce(plan, AllreduceAlgorithm::library);
  plan.statistics_allreduce = AllreduceAlgorithm::library;
  plan.overlap = true;
  return plan;
}

// Holds a training whose collectives NCCL runs.
struct NcclTraining : DeviceTraining {
  NcclTraining(const Plan& trained, Backend& device, const Communicator& world, bool overlap)
      : DeviceTraining(trained, device, world, Graphs::off, true, overlap) {}

  // Runs two steps and returns the loss and the weights after them.
  std::vector<double> train() {
    std::vector<double> numbers;
    for (int step = 0; step < 2; ++step) {
      runner.run({.step = step, .learning_rate = 0.01, .momentum = 0.9});
      numbers.push_back(runner.loss());
    }
    for (const SlotIndex slot : parameters.slots().indices()) {
      const std::vector<double> weights = parameters.plain(ParameterArena::weights, slot);
      numbers.insert(numbers.end(), weights.begin(), weights.end());
    }
    return numbers;
  }
};

std::unique_ptr<Backend> make_device() {
  return make_backend("cudnn", {.deterministic = true, .engine_trials = 1});
}

// Returns the collectives on a stream, in the order of the schedule.
std::vector<OperationIndex> collectives(const Schedule& schedule,
                                        Stream stream,
                                        CollectiveKind kind) {
  std::vector<OperationIndex> found;
  for (const OperationIndex i : schedule.operations.indices()) {
    const Operation& operation = schedule.operations[i];
    const auto* body = std::get_if<CollectiveOperation>(&operation.body);
    if (body != nullptr && operation.stream == stream && body->kind == kind) found.push_back(i);
  }
  return found;
}

// Runs a second step, of which the first one is not typical, and returns when operations began and
// ended.
class SecondStep {
 public:
  explicit SecondStep(NcclTraining& training)
      : runner_(training.runner), origin_(training.backend.device().make_event()) {
    training.runner.run({.learning_rate = 0.01});
    origin_->record();
    training.runner.run({.step = 1, .learning_rate = 0.01});
  }
  double begin_s(OperationIndex operation) const {
    return runner_.marked_times(operation, *origin_).begin_s;
  }
  double end_s(OperationIndex operation) const {
    return runner_.marked_times(operation, *origin_).end_s;
  }

 private:
  const StepRunner& runner_;
  std::unique_ptr<Event> origin_;
};

}  // namespace

TEST_CASE(
    "NCCL: each queue has a communicator of its own, and without overlap there is one queue") {
  const Communicator world = Communicator::world();
  for (const bool overlap : {false, true}) {
    emulation::reset();
    const auto backend = make_device();
    const NcclTraining training(plan_on(world.size()), *backend, world, overlap);
    const std::int64_t groups = world.size() > 1 ? 1 : 0;  // one rank has nothing to reduce
    CHECK(emulation::calls("ncclCommInitRank") == (overlap ? 2 : 1) * groups);
  }
}

TEST_CASE("NCCL: overlap leaves the bits of one operation after the other") {
  const Communicator world = Communicator::world();
  for (const bool is_sharded : {false, true}) {
    Plan plan = plan_on(world.size());
    plan.sharded_update = is_sharded;
    for (const std::uint64_t seed : {1, 2, 3}) {
      emulation::reset({.schedule = emulation::Schedule::random, .seed = seed});
      const auto backend = make_device();
      const std::vector<double> in_line = NcclTraining(plan, *backend, world, false).train();
      CHECK(NcclTraining(plan, *backend, world, true).train() == in_line);
    }
  }
}

// The emulated device runs only what the compute queue needs, and then the other queues. So what
// the compute queue does not wait for ends after it.
TEST_CASE("NCCL: the first layer waits for its own weights only") {
  const Communicator world = Communicator::world();
  if (world.size() == 1) return;
  emulation::reset();
  Plan plan = plan_on(world.size());
  plan.sharded_update = true;
  const auto backend = make_device();
  NcclTraining training(plan, *backend, world, true);
  const auto gathered = collectives(training.schedule, Stream::reduce, CollectiveKind::allgather);
  REQUIRE(gathered.size() > 2);
  const SecondStep step(training);
  const auto layer = [&](const std::string& name) {
    for (const OperationIndex i : training.schedule.operations.indices()) {
      const Operation& operation = training.schedule.operations[i];
      if (operation.id.starts_with(name + "/forward") &&
          std::holds_alternative<KernelOperation>(operation.body)) {
        return i;
      }
    }
    FAIL("no kernel of ", name);
    return OperationIndex(0);
  };
  CHECK(step.end_s(gathered.front()) < step.end_s(layer("conv1")));
  CHECK(step.end_s(layer("conv1")) < step.begin_s(gathered.back()));
  CHECK(step.end_s(gathered.back()) < step.end_s(layer("fc")));
}

TEST_CASE("NCCL: statistics of batch norms do not wait for gradients that are summed before them") {
  const Communicator world = Communicator::world();
  if (world.size() == 1) return;
  emulation::reset();
  const auto backend = make_device();
  NcclTraining training(plan_on(world.size()), *backend, world, true);
  const auto statistics =
      collectives(training.schedule, Stream::compute, CollectiveKind::allreduce);
  const auto gradients = collectives(training.schedule, Stream::reduce, CollectiveKind::allreduce);
  REQUIRE(!statistics.empty());
  REQUIRE(!gradients.empty());
  REQUIRE(gradients.front() < statistics.back());
  const SecondStep step(training);
  CHECK(step.end_s(statistics.back()) < step.end_s(gradients.front()));
}

}  // namespace cnnplan::test
