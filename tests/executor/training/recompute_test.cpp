// Tests that activations which are recomputed in backpropagation give the same bits in less memory.
#include <algorithm>

#include <doctest/doctest.h>

#include "planner/schedule/schedule.hpp"
#include "tests/executor/tested_backend.hpp"
#include "tests/executor/training/training_run.hpp"
#include "tests/planner/network/random_network.hpp"
#include "tests/slow_build.hpp"

namespace cnnplan::test {
namespace {

constexpr std::uint64_t random_plans = is_slow_build ? 8 : 40;

RunResult run(const Plan& plan, const Communicator& world) {
  return run_plan(plan, {.backend = tested_backend("onednn")}, world);
}

Plan with_recompute(Plan plan, bool recompute) {
  for (const LayerIndex layer : plan.network.layers().indices()) {
    plan.layers[layer].recompute = recompute && can_recompute(plan.network.layer(layer).parameters);
  }
  return plan;
}

bool computes_again(const Plan& plan) {
  const Schedule schedule = lower(plan, 0);
  return std::any_of(
      schedule.operations.begin(), schedule.operations.end(), [](const Operation& operation) {
        return operation.label.part == OperationPart::forward &&
               operation.label.direction == Direction::backward;
      });
}

// Makes blocks of convolution, batch norm and ReLU. Every third block has a shortcut around it.
Plan residual_blocks(const Mesh& mesh) {
  Convolution convolution{.filters = 4};
  convolution.window.dims[1] = {.kernel = 3, .padding_begin = 1, .padding_end = 1};
  std::vector<Layer> layers{{"input", {}, Input{.channels = 4, .size = {1, 16, 8}}}};
  std::string shortcut = "input";
  for (int i = 0; i < 6; ++i) {
    const std::string number = std::to_string(i);
    layers.push_back({"conv" + number, {layers.back().name}, convolution});
    layers.push_back({"bn" + number, {layers.back().name}, BatchNorm{}});
    if (i % 3 == 2) {
      layers.push_back({"add" + number, {layers.back().name, shortcut}, Add{}});
      shortcut = "relu" + number;
    }
    layers.push_back({"relu" + number, {layers.back().name}, Relu{}});
  }
  layers.push_back({"fc", {layers.back().name}, FullyConnected{.outputs = 3}});
  layers.push_back({"loss", {"fc"}, SoftmaxCrossEntropy{}});
  return uniform_plan(Network("blocks", layers), 4, mesh);
}

}  // namespace

TEST_CASE("Recompute: random plans leave the same bits") {
  const Communicator world = Communicator::world();
  int seen = 0;
  for (std::uint64_t seed = 0; seed < random_plans; ++seed) {
    CAPTURE(seed);
    const Plan plan = random_plan(seed, world.size());
    bool refused = refused_kernel(plan, tested_backend("onednn"), world.rank()).has_value();
    if (world.maximum(refused ? 1.0 : 0.0) > 0.0) continue;
    const RunResult kept = run(with_recompute(plan, false), world);
    CHECK(run(with_recompute(plan, true), world) == kept);
    CHECK(run(plan, world) == kept);
    if (computes_again(with_recompute(plan, true))) ++seen;
  }
  CHECK(seen > static_cast<int>(random_plans) / 3);
}

TEST_CASE("Recompute: blocks of a residual network, whole and split by height") {
  const Communicator world = Communicator::world();
  for (Axis axis : {Axis::n, Axis::h}) {
    const Plan plan = residual_blocks(Mesh({{axis, world.size()}}));
    const Plan again = with_recompute(plan, true);
    CHECK(computes_again(again));
    CHECK(run(again, world) == run(plan, world));
    CHECK(lower(again, world.rank()).arena_bytes < lower(plan, world.rank()).arena_bytes);
  }
}

}  // namespace cnnplan::test
