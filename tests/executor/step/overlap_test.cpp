// Tests transfers and reductions that run at the same time as kernels on emulated devices. The
// devices run their queues in any order, and the results have the same bits as those of one
// operation after the other.
#include <algorithm>
#include <array>
#include <cstdint>

#include <doctest/doctest.h>

#include "planner/schedule/schedule.hpp"
#include "tests/emulation/device.hpp"
#include "tests/executor/training/training_run.hpp"
#include "tests/planner/network/random_network.hpp"
#include "tests/slow_build.hpp"

namespace cnnplan::test {
namespace {

using emulation::Schedule;

constexpr std::uint64_t random_plans = is_slow_build ? 1 : 4;

struct Order {
  Schedule schedule;
  std::uint64_t seed = 0;
};
constexpr std::array<Order, 5> orders{{{Schedule::lazy},
                                       {Schedule::random, 1},
                                       {Schedule::random, 2},
                                       {Schedule::random, 3},
                                       {Schedule::eager}}};

// Starts devices that run their queues in another order on each rank.
void start_device(const Order& order, const Communicator& world) {
  forget_backends();
  emulation::reset({.schedule = order.schedule,
                    .seed = 100 * order.seed + static_cast<std::uint64_t>(world.rank())});
}

RunResult run(const Plan& plan, const Communicator& world, bool overlap, bool graphs) {
  return run_plan(plan, {.backend = "cudnn", .overlap = overlap, .graphs = graphs}, world);
}

// Returns a plan that moves much between many layers.
Plan convolutions_by_height(int ranks, Precision precision) {
  Convolution convolution{.filters = 4, .bias = true};
  convolution.window.dims[1] = {.kernel = 3, .padding_begin = 1, .padding_end = 1};
  convolution.window.dims[2] = convolution.window.dims[1];
  std::vector<Layer> layers{{"input", {}, Input{.channels = 4, .size = {1, 12, 9}}}};
  for (int i = 0; i < 4; ++i) {
    const std::string number = std::to_string(i);
    layers.push_back({"conv" + number, {layers.back().name}, convolution});
    layers.push_back({"bn" + number, {layers.back().name}, BatchNorm{}});
    layers.push_back({"relu" + number, {layers.back().name}, Relu{}});
  }
  layers.push_back({"fc", {layers.back().name}, FullyConnected{.outputs = 3}});
  layers.push_back({"loss", {"fc"}, SoftmaxCrossEntropy{}});
  Plan plan = uniform_plan(Network("rows", layers), 4, Mesh({{Axis::h, ranks}}));
  // Every other layer is split by columns, which adds shuffles.
  for (LayerIndex i(4); i < plan.layers.end_index(); i += 5) {
    plan.layers[i].mesh = Mesh({{Axis::w, ranks}});
  }
  plan.bucket_bytes = 256;
  plan.precision = precision;
  return plan;
}

Precision precision_of(const Order& order) {
  return order.seed % 2 == 0 ? Precision::bf16 : Precision::fp32;
}

void check_overlap(Plan plan, const Communicator& world) {
  plan.overlap = true;
  plan = with_implementations(plan, "cudnn", world);
  const RunResult in_line = run(plan, world, false, false);
  CHECK(run(plan, world, true, false) == in_line);
  CHECK(run(plan, world, true, true) == in_line);
}

}  // namespace

TEST_CASE("Overlap: halos, shuffles and reductions during kernels leave the same bits") {
  const Communicator world = Communicator::world();
  for (const Order& order : orders) {
    start_device(order, world);
    CAPTURE(order.seed);
    check_overlap(convolutions_by_height(world.size(), precision_of(order)), world);
  }
}

TEST_CASE("Overlap: interiors during their halo exchanges leave the same bits") {
  const Communicator world = Communicator::world();
  for (const Order& order : orders) {
    start_device(order, world);
    CAPTURE(order.seed);
    Plan plan = convolutions_by_height(world.size(), precision_of(order));
    for (LayerPlan& layer : plan.layers) layer.mesh = Mesh({{Axis::h, world.size()}});
    for (const LayerIndex layer : plan.network.layers().indices()) {
      if (!has_halo_method(plan.network.layer(layer).parameters)) continue;
      plan.layers[layer].halo = HaloMethod::interior_strips;
    }
    const auto schedule = lower(plan, 0);
    const bool is_split = world.size() > 1;
    CHECK(is_split ==
          std::any_of(schedule.operations.begin(), schedule.operations.end(), [](const auto& one) {
            return one.id == "conv1/forward/interior_0";
          }));
    check_overlap(plan, world);
  }
}

TEST_CASE("Overlap: weights that are gathered during the first layers leave the same bits") {
  const Communicator world = Communicator::world();
  for (const Order& order : orders) {
    start_device(order, world);
    CAPTURE(order.seed);
    Plan plan = convolutions_by_height(world.size(), precision_of(order));
    plan.sharded_update = true;
    check_overlap(plan, world);
  }
}

TEST_CASE("Overlap: the loss is summed over ranks before it is read, though nothing waits for it") {
  const Communicator world = Communicator::world();
  const Network network("replicated",
                        {{"input", {}, Input{.channels = 2, .size = {1, 8, 4}}},
                         {"conv", {"input"}, Convolution{.filters = 3}},
                         {"loss", {"conv"}, SoftmaxCrossEntropy{}}});
  Plan plan = uniform_plan(network, 2, Mesh({{Axis::r, world.size()}}));
  plan.layers.back().mesh = Mesh({{Axis::h, world.size()}});
  for (const Order& order : orders) {
    start_device(order, world);
    check_overlap(plan, world);
  }
}

TEST_CASE("Overlap: random plans leave the same bits") {
  const Communicator world = Communicator::world();
  for (const Order& order : orders) {
    start_device(order, world);
    for (std::uint64_t plan = 0; plan < random_plans; ++plan) {
      const std::uint64_t seed = 1000 * order.seed + plan;
      CAPTURE(seed);
      check_overlap(random_plan(seed, world.size()), world);
    }
  }
}

}  // namespace cnnplan::test
