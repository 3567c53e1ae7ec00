// Tests training in every precision, on every number of ranks, against double.
#include <algorithm>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "executor/backend/element.hpp"
#include "executor/data/synthetic_data.hpp"
#include "executor/step/step_runner.hpp"
#include "planner/tensor/enumerators.hpp"
#include "tests/executor/tested_backend.hpp"
#include "tests/executor/training/run_difference.hpp"
#include "tests/executor/training/training_run.hpp"

namespace cnnplan::test {
namespace {

const std::string backend_name = tested_backend("reference");

bool has(Precision precision) {
  return kept_backend(backend_name).supports(precision);
}

Network small_network() {
  Convolution convolution{.filters = 8, .bias = true};
  convolution.window.dims[1] = {.kernel = 3, .padding_begin = 1, .padding_end = 1};
  convolution.window.dims[2] = convolution.window.dims[1];
  Pooling pooling{.mode = PoolingMode::average};
  pooling.window.dims[1] = pooling.window.dims[2] = {.kernel = 2, .stride = 2};
  return Network("small",
                 {{"input", {}, Input{.channels = 3, .size = {1, 16, 16}}},
                  {"conv1", {"input"}, convolution},
                  {"bn1", {"conv1"}, BatchNorm{}},
                  {"relu1", {"bn1"}, Relu{}},
                  {"conv2", {"relu1"}, convolution},
                  {"bn2", {"conv2"}, BatchNorm{}},
                  {"add", {"bn2", "relu1"}, Add{}},
                  {"relu2", {"add"}, Relu{}},
                  {"pool", {"relu2"}, pooling},
                  {"fc", {"pool"}, FullyConnected{.outputs = 5}},
                  {"loss", {"fc"}, SoftmaxCrossEntropy{}}});
}

// Returns a plan that splits convolutions by height, so that halos and their gradients are sent as
// messages.
Plan plan_on(int ranks, Precision precision) {
  const Mesh mesh = ranks == 4 ? parse_mesh("n2h2") : Mesh({{Axis::h, ranks}});
  Plan plan = uniform_plan(small_network(), 8, mesh);
  for (LayerPlan& layer : plan.layers) layer.statistics = BatchNormStatistics::global;
  plan.precision = precision;
  return plan;
}

struct Row {
  Precision precision;
  double tolerance;
  double loss_scale;
};

// Plain loops use no tensor cores, so their error in tf32 is that of fp32.
constexpr double loops_in_tf32 = 1e-4;
constexpr std::array<Row, 4> rows{{{Precision::fp32, 1e-4, 1.0},
                                   {Precision::tf32, 1e-2, 1.0},
                                   {Precision::bf16, 8e-2, 1.0},  // 3 bits less than fp16
                                   {Precision::fp16, 2e-2, 1024.0}}};

// Counts the copies that are not the rounded weights.
std::int64_t wrong_copies(const ParameterStore& store, Device& device) {
  const SlotIndex last = store.slots().last_index();
  std::vector<float> weights(store.elements(SlotIndex(0), last));
  const auto bytes_of_all = [&](std::size_t bytes) {
    return static_cast<std::int64_t>(weights.size() * bytes);
  };
  device.copy_to_host(weights.data(),
                      store.address(ParameterArena::weights, SlotIndex(0)),
                      bytes_of_all(sizeof(float)));
  std::int64_t count = 0;
  with_type_of(activation_element(store.precision()), [&]<typename T>(T) {
    std::vector<T> copies(weights.size());
    device.copy_to_host(copies.data(),
                        store.address(ParameterArena::weight_copies, SlotIndex(0)),
                        bytes_of_all(sizeof(T)));
    device.synchronize();
    for (std::size_t i = 0; i < weights.size(); ++i) {
      const auto copy = static_cast<double>(copies[i]);
      count += copy == static_cast<double>(T(weights[i])) ? 0 : 1;
    }
  });
  return count;
}

}  // namespace

TEST_CASE("Training: every precision follows double on every number of ranks") {
  const Communicator world = Communicator::world();
  const RunSetup setup{.backend = backend_name, .steps = 3};
  RunSetup precise = setup;
  if (!has(Precision::fp64)) precise.backend = "reference";
  const RunResult doubles = run_plan(plan_on(world.size(), Precision::fp64), precise, world);
  for (const Row& row : rows) {
    if (!has(row.precision)) continue;
    RunSetup scaled = setup;
    scaled.loss_scale = row.loss_scale;
    const Plan plan =
        with_implementations(plan_on(world.size(), row.precision), backend_name, world);
    const RunResult result = run_plan(plan, scaled, world);
    CAPTURE(to_text(row.precision));
    CHECK(same_on_all_ranks(result, world));
    if (world.rank() != 0) continue;
    const Difference difference = largest_difference(result, doubles);
    const bool loops = row.precision == Precision::tf32 && backend_name == "reference";
    const double tolerance = loops ? loops_in_tf32 : row.tolerance;
    CHECK_MESSAGE(difference.size <= tolerance, difference.tensor, " ", difference.size);
  }
}

TEST_CASE("Training: copies of weights are the rounded weights, before and after steps") {
  const Communicator world = Communicator::world();
  for (Precision precision : {Precision::bf16, Precision::fp16}) {
    if (!has(precision)) continue;
    CAPTURE(to_text(precision));
    const Plan plan = plan_on(world.size(), precision);
    const Schedule schedule = lower(plan, world.rank());
    const auto backend = make_backend(backend_name);
    SyntheticData data(batch_shape(plan.network, plan.batch, precision), 1);
    ParameterStore store(schedule, plan.network, precision, *backend);
    initialize(store, plan.network, 1);
    Groups groups(world);
    StepRunner runner(
        schedule,
        {.backend = backend.get(), .parameters = &store, .groups = &groups, .data = &data});
    CHECK(wrong_copies(store, backend->device()) == 0);
    const SlotIndex last = store.slots().last_index();
    const std::vector<double> before = store.plain(ParameterArena::weights, last);
    for (int step = 0; step < 3; ++step) runner.run({.step = step, .learning_rate = 0.05});
    CHECK(store.plain(ParameterArena::weights, last) != before);
    CHECK(wrong_copies(store, backend->device()) == 0);
  }
}

TEST_CASE("ParameterStore: only a plan with copies of weights needs memory for them") {
  const Communicator world = Communicator::world();
  const auto backend = make_backend(backend_name);
  const auto bytes_in = [&](Precision precision) {
    const Plan plan = plan_on(world.size(), precision);
    return ParameterStore(lower(plan, world.rank()), plan.network, precision, *backend).bytes();
  };
  constexpr std::int64_t running = 128;  // mean and variance of two batch norms
  CHECK(bytes_in(Precision::tf32) == bytes_in(Precision::fp32));
  // In 16 bits, a GPU stores 8 channels of the first weight. A slot has whole lines of 16 elements.
  constexpr std::int64_t plain = 224;  // 8 filters x 3 x 3 taps x 3 channels are 216
  constexpr std::int64_t stored = 576;
  const std::int64_t added = backend->device().is_host() ? 0 : stored - plain;
  const std::int64_t wide = bytes_in(Precision::fp32) - running + 12 * added;
  CHECK(bytes_in(Precision::bf16) - running == wide / 6 * 7);
}

}  // namespace cnnplan::test
