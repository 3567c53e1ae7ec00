// Builds a residual network, and divides the layers of its chain among the ranks.
#include "tests/executor/training/residual_plan.hpp"

#include <string>
#include <vector>

#include "planner/network/residual_chain.hpp"

namespace cnnplan::test {
namespace {

Convolution same_size_convolution() {
  Convolution convolution{.filters = 3, .window = {}, .groups = 1, .bias = true};
  convolution.window.dims[1] = {.kernel = 3, .padding_begin = 1, .padding_end = 1};
  convolution.window.dims[2] = convolution.window.dims[1];
  return convolution;
}

Network residual_network() {
  std::vector<Layer> layers{{"data", {}, Input{.channels = 2, .size = {1, 6, 5}}},
                            {"open", {"data"}, same_size_convolution()},
                            {"bn", {"open"}, BatchNorm{}}};
  std::string before = "bn";
  for (int i = 0; i < chain_blocks; ++i) {
    const std::string number = std::to_string(i);
    layers.push_back({"conv" + number, {before}, same_size_convolution()});
    layers.push_back({"relu" + number, {"conv" + number}, Relu{}});
    layers.push_back({"add" + number, {before, "relu" + number}, Add{.scale = 1.0 / chain_blocks}});
    before = "add" + number;
  }
  layers.push_back({"fc", {before}, FullyConnected{.outputs = 4}});
  layers.push_back({"loss", {"fc"}, SoftmaxCrossEntropy{}});
  return Network("residual", layers);
}

}  // namespace

Plan residual_plan(int ranks, int cycles) {
  constexpr std::int64_t batch = 4;
  Plan plan = uniform_plan(residual_network(), batch, Mesh({{Axis::n, ranks}}));
  plan.precision = Precision::fp64;
  // Statistics of a rank's own samples would depend on the number of ranks.
  plan.layers[plan.network.index_of("bn").value()].statistics = BatchNormStatistics::global;
  const ResidualChain chain = residual_chains(plan.network).front();
  for (int i = 0; i < chain_blocks; ++i) {
    const ResidualBlock& block = chain[static_cast<std::size_t>(i)];
    for (LayerIndex layer : {block.weights, block.transform, block.sum}) {
      LayerPlan& own = plan.layers[layer];
      own.mesh = Mesh({{Axis::l, ranks}});
      own.stage = i * ranks / chain_blocks;
    }
  }
  plan.multigrid = {{.first = chain.front().weights,
                     .last = chain.back().sum,
                     .coarsening = chain_coarsening,
                     .levels = 2,
                     .cycles = cycles}};
  return plan;
}

}  // namespace cnnplan::test
