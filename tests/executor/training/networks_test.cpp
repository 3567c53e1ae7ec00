// Tests that the project's networks, small and narrow, compute on split meshes what one rank
// computes.
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/executor/training/run_difference.hpp"
#include "tests/executor/training/training_run.hpp"
#include "tests/planner/network/random_network.hpp"
#include "tests/slow_build.hpp"

namespace cnnplan::test {
namespace {

constexpr std::int64_t batch = 2;

// Describes a network that is run with fewer filters and a smaller input.
struct Row {
  const char* name;
  std::int64_t narrowing;  // divides the filters and groups of what learns, but for the last
  std::array<std::int64_t, 3> size;
  bool is_covered = false;  // other rows have the same kinds of layers, so a slow build skips it
};
constexpr std::array rows{
    Row{"cosmoflow", 16, {32, 40, 32}},
    Row{"mobilenet_v2", 8, {1, 40, 56}, true},
    Row{"residual-16", 2, {1, 20, 16}},
    Row{"shufflenet_v2", 2, {1, 40, 56}},
    Row{"unet-2d", 16, {1, 48, 32}, true},
    Row{"unet-2d-transposed", 16, {1, 48, 32}},
    Row{"unet-3d", 16, {16, 24, 8}},
};

Network small_network(const Row& row) {
  const Network network = read_network("configs/networks/" + std::string(row.name) + ".json");
  std::vector<Layer> layers = network.layers().elements();
  LayerIndex last = network.loss_layer();
  while (network.parameter_count(last) == 0) --last;
  const auto narrow = [&row](std::int64_t& width) {
    width = std::max<std::int64_t>(1, width / row.narrowing);
  };
  for (const LayerIndex i : IndexRange(last)) {
    LayerParameters& parameters = layers[i].parameters;
    if (auto* convolution = std::get_if<Convolution>(&parameters)) {
      narrow(convolution->filters);
      narrow(convolution->groups);
    } else if (auto* transposed = std::get_if<TransposedConvolution>(&parameters)) {
      narrow(transposed->filters);
    } else if (auto* full = std::get_if<FullyConnected>(&parameters)) {
      narrow(full->outputs);
    } else if (auto* slice = std::get_if<Slice>(&parameters)) {
      slice->first_channel /= row.narrowing;
      narrow(slice->channels);
    }
  }
  return with_input_size(Network(network.name(), std::move(layers)), row.size);
}

Plan plan_on(const Network& network, const Mesh& mesh) {
  Plan plan = uniform_plan(network, batch, mesh);
  plan.precision = Precision::fp64;
  for (LayerPlan& layer : plan.layers) layer.statistics = BatchNormStatistics::global;
  return plan;
}

std::vector<Mesh> meshes_of(const Network& network, int ranks) {
  const bool deep = std::get<Input>(network.layer(LayerIndex(0)).parameters).size[0] > 1;
  const Mesh depth({{Axis::d, ranks}});
  const Mesh height({{Axis::h, ranks}});
  // In a slow build, the plan with every layer on another mesh is tried, too.
  if (is_slow_build) return {deep ? depth : height};
  if (ranks < 4) return deep ? std::vector{depth, height} : std::vector{height};
  const Mesh square({{Axis::h, 2}, {Axis::w, 2}});
  if (!deep) return {height, square};
  return {depth, Mesh({{Axis::d, 2}, {Axis::h, 2}}), Mesh({{Axis::n, 2}, {Axis::d, 2}}), square};
}

void check_plan(const Plan& plan,
                const RunResult& expected,
                const RunSetup& setup,
                const Communicator& world) {
  INFO(to_text(plan.layers.front().mesh), " ... ", to_text(plan.layers.back().mesh));
  const RunResult result = run_plan(plan, setup, world);
  if (world.rank() > 0) return;
  const Difference difference = largest_difference(result, expected);
  CAPTURE(difference.tensor);
  CHECK(difference.size <= double_tolerance);
}

// Returns a plan on random meshes, which change every three layers.
Plan mixed(const Network& network, int ranks) {
  Plan result = plan_on(network, Mesh({{Axis::n, ranks}}));
  for (const LayerIndex i : result.layers.indices()) {
    result.layers[i].mesh = random_mesh(i / 3, ranks);
  }
  return result;
}

}  // namespace

TEST_CASE("Training: the project's networks on split meshes compute what one rank computes") {
  const Communicator world = Communicator::world();
  const Communicator self = Communicator::group(world, {world.rank()});
  const RunSetup setup{.backend = "reference", .seed = 3, .steps = 1};
  for (const Row& row : rows) {
    if (is_slow_build && row.is_covered) continue;
    CAPTURE(std::string(row.name));
    const Network network = small_network(row);
    const RunResult expected = run_plan(plan_on(network, Mesh()), setup, self);
    for (const Mesh& mesh : meshes_of(network, world.size())) {
      check_plan(plan_on(network, mesh), expected, setup, world);
    }
    check_plan(mixed(network, world.size()), expected, setup, world);
  }
}

}  // namespace cnnplan::test
