// Training in every precision, on every number of ranks, against double.
#include <algorithm>
#include <string>

#include <doctest/doctest.h>

#include "executor/backend/element.hpp"
#include "executor/training/step_runner.hpp"
#include "executor/training/synthetic_data.hpp"
#include "planner/model/enumerators.hpp"
#include "tests/executor/training/run_difference.hpp"
#include "tests/executor/training/training_run.hpp"

namespace cnnplan::test {
namespace {

constexpr const char* backend_name = "reference";

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

// Convolutions split by height, so that halos and their gradients go over messages.
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

constexpr std::array<Row, 4> rows{{{Precision::fp32, 1e-4, 1.0},
                                   {Precision::tf32, 1e-4, 1.0},  // plain loops compute as in fp32
                                   {Precision::bf16, 8e-2, 1.0},  // 3 bits less than fp16
                                   {Precision::fp16, 1e-2, 1024.0}}};

// Copies that are not the rounded weights.
std::int64_t wrong_copies(const ParameterStore& store) {
  const auto* weights = static_cast<const float*>(store.address(ParameterArena::weights, 0));
  const void* copies = store.address(ParameterArena::weight_copies, 0);
  const int last = static_cast<int>(store.slots().size()) - 1;
  std::int64_t count = 0;
  with_type_of(activation_element(store.precision()), [&]<typename T>(T) {
    for (std::int64_t i = 0; i < store.elements(0, last); ++i) {
      const auto copy = static_cast<double>(static_cast<const T*>(copies)[i]);
      count += copy == static_cast<double>(T(weights[i])) ? 0 : 1;
    }
  });
  return count;
}

}  // namespace

TEST_CASE("Training: every precision follows double on every number of ranks") {
  const Communicator world = Communicator::world();
  const RunSetup setup{.backend = backend_name, .steps = 3};
  const RunResult doubles = run_plan(plan_on(world.size(), Precision::fp64), setup, world);
  for (const Row& row : rows) {
    RunSetup scaled = setup;
    scaled.loss_scale = row.loss_scale;
    const RunResult result = run_plan(plan_on(world.size(), row.precision), scaled, world);
    CAPTURE(to_text(row.precision));
    CHECK(same_on_all_ranks(result, world));
    if (world.rank() != 0) continue;
    const Difference difference = largest_difference(result, doubles);
    CHECK_MESSAGE(difference.size <= row.tolerance, difference.tensor, " ", difference.size);
  }
}

TEST_CASE("Training: copies of weights are the rounded weights, before and after steps") {
  const Communicator world = Communicator::world();
  for (Precision precision : {Precision::bf16, Precision::fp16}) {
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
    CHECK(wrong_copies(store) == 0);
    const int last = static_cast<int>(store.slots().size()) - 1;
    const std::vector<double> before = store.plain(ParameterArena::weights, last);
    for (int step = 0; step < 3; ++step) runner.run({.step = step, .learning_rate = 0.05});
    CHECK(store.plain(ParameterArena::weights, last) != before);
    CHECK(wrong_copies(store) == 0);
  }
}

TEST_CASE("ParameterStore: copies take memory only where there are some") {
  const Communicator world = Communicator::world();
  const auto backend = make_backend(backend_name);
  const auto bytes_in = [&](Precision precision) {
    const Plan plan = plan_on(world.size(), precision);
    return ParameterStore(lower(plan, world.rank()), plan.network, precision, *backend).bytes();
  };
  constexpr std::int64_t running = 128;  // mean and variance of two batch norms
  CHECK(bytes_in(Precision::tf32) == bytes_in(Precision::fp32));
  CHECK(bytes_in(Precision::bf16) - running == (bytes_in(Precision::fp32) - running) / 6 * 7);
}

}  // namespace cnnplan::test
