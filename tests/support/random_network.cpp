// Layers drawn one after the other, each of a kind that fits behind the one before.
#include "tests/support/random_network.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

namespace cnnplan::test {
namespace {

constexpr int most_channels = 6;

// What a window may look like in one dim of `length` inputs.
WindowDim random_convolution_dim(std::mt19937_64& random, std::int64_t length) {
  WindowDim dim;
  dim.kernel = 1 + below(random, 4);
  dim.stride = 1 + below(random, 3);
  dim.dilation = one_in(random, 4) ? 2 : 1;
  const auto reach = static_cast<int>(dim.reach());
  dim.padding_begin = below(random, reach);
  dim.padding_end = one_in(random, 3) ? below(random, reach) : dim.padding_begin;
  return output_length(length, dim) >= 1 ? dim : WindowDim{};
}

// At most half of a pooling window is padding, so that none lies in the padding alone.
WindowDim random_pooling_dim(std::mt19937_64& random, std::int64_t length) {
  WindowDim dim;
  dim.kernel = 1 + below(random, 3);
  dim.stride = 1 + below(random, 3);
  dim.padding_begin = dim.padding_end = below(random, static_cast<int>(dim.kernel) / 2 + 1);
  return output_length(length, dim) >= 1 ? dim : WindowDim{};
}

// Output as large as the input.
WindowDim same_size_dim(std::mt19937_64& random) {
  const int padding = below(random, 3);
  return {.kernel = 2 * padding + 1, .padding_begin = padding, .padding_end = padding};
}

class NetworkWriter {
 public:
  explicit NetworkWriter(std::mt19937_64& random) : random_(random) {}

  Network write() {
    add_input();
    const int blocks = 2 + below(random_, 4);
    for (int i = 0; i < blocks; ++i) add_block();
    add_end();
    return Network("random", std::move(layers_));
  }

 private:
  const std::string& tail() const { return layers_.back().name; }

  // Shape of one sample of the last layer: of the layers so far closed by a loss.
  Shape shape() const {
    std::vector<Layer> closed = layers_;
    closed.push_back({"end", {tail()}, SoftmaxCrossEntropy{}});
    const Network network("so far", std::move(closed));
    return network.output_shape(network.layer_count() - 2, 1);
  }

  void add(std::vector<std::string> inputs, LayerParameters parameters) {
    layers_.push_back({"l" + std::to_string(layers_.size()), std::move(inputs), parameters});
  }
  void add(LayerParameters parameters) { add({tail()}, std::move(parameters)); }

  void add_input() {
    const bool has_depth = one_in(random_, 4);
    add({},
        Input{.channels = 1 + below(random_, 3),
              .size = {has_depth ? 1 + below(random_, 4) : 1,
                       1 + below(random_, 10),
                       3 + below(random_, 8)}});
  }

  // Filters that have `groups` as a divisor.
  std::int64_t filters(std::int64_t groups) {
    return groups * (1 + below(random_, most_channels / static_cast<int>(groups)));
  }

  void add_convolution() {
    const Shape input = shape();
    Convolution convolution{.bias = one_in(random_, 2)};
    for (std::size_t i = 0; i < spatial_dims.size(); ++i) {
      const std::int64_t length = input[spatial_dims[i]];
      if (length > 1) convolution.window.dims[i] = random_convolution_dim(random_, length);
    }
    if (one_in(random_, 4)) convolution.groups = input[Dim::c];
    convolution.filters = filters(convolution.groups);
    add(convolution);
  }

  void add_pooling() {
    const Shape input = shape();
    Pooling pooling{.mode = one_in(random_, 2) ? PoolingMode::max : PoolingMode::average};
    for (std::size_t i = 0; i < spatial_dims.size(); ++i) {
      pooling.window.dims[i] = random_pooling_dim(random_, input[spatial_dims[i]]);
    }
    pooling.count_include_padding = pooling.mode == PoolingMode::average && one_in(random_, 2);
    add(pooling);
  }

  // x + f(x), where f keeps the shape; at times x + x.
  void add_residual() {
    const std::string start = tail();
    if (one_in(random_, 8)) {
      add({start, start}, Add{});
      return;
    }
    Convolution convolution{.filters = shape()[Dim::c]};
    for (WindowDim& dim : convolution.window.dims) dim = same_size_dim(random_);
    add(convolution);
    if (one_in(random_, 2)) add(Relu{});
    if (!one_in(random_, 3)) add(BatchNorm{});
    const std::string branch = tail();
    if (one_in(random_, 3)) {
      convolution.window = {};
      add({start}, convolution);
      add(one_in(random_, 2) ? std::vector{branch, tail()} : std::vector{tail(), branch}, Add{});
    } else {
      add(one_in(random_, 2) ? std::vector{branch, start} : std::vector{start, branch}, Add{});
    }
    if (one_in(random_, 2)) add(Relu{});
  }

  void add_block() {
    switch (below(random_, 7)) {
      case 0:
        add_pooling();
        break;
      case 1:
        add(Relu{});
        break;
      case 2:
        add(Dropout{.rate = 0.25});
        break;
      case 3:
        add_residual();
        break;
      case 4:
        add(BatchNorm{});
        if (one_in(random_, 2)) add(Relu{});
        break;
      default:
        add_convolution();
    }
  }

  void add_end() {
    if (one_in(random_, 2)) {
      if (one_in(random_, 2)) {
        add(GlobalPooling{.mode = one_in(random_, 2) ? PoolingMode::max : PoolingMode::average});
      }
      add(FullyConnected{.outputs = 2 + below(random_, 4), .bias = one_in(random_, 2)});
    } else {
      add(Convolution{.filters = 2 + below(random_, 3)});
    }
    add(SoftmaxCrossEntropy{});
  }

  std::mt19937_64& random_;
  std::vector<Layer> layers_;
};

}  // namespace

int below(std::mt19937_64& random, int count) {
  return static_cast<int>(random() % static_cast<std::uint64_t>(count));
}

bool one_in(std::mt19937_64& random, int count) {
  return below(random, count) == 0;
}

Network random_network(std::mt19937_64& random) {
  return NetworkWriter(random).write();
}

Mesh random_mesh(std::mt19937_64& random, int ranks) {
  std::array axes{Axis::n, Axis::d, Axis::h, Axis::w, Axis::r};
  for (std::size_t i = axes.size() - 1; i > 0; --i) {
    std::swap(axes[i], axes[static_cast<std::size_t>(below(random, static_cast<int>(i) + 1))]);
  }
  std::vector<MeshAxis> chosen;
  int rest = ranks;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    int size = i + 1 == axes.size() ? rest : 1 + below(random, rest);
    while (rest % size != 0) --size;
    rest /= size;
    chosen.push_back({axes[i], size});
  }
  return Mesh(chosen);
}

Plan random_plan(std::mt19937_64& random, const Network& network, std::int64_t batch, int ranks) {
  Plan plan = uniform_plan(network, batch, random_mesh(random, ranks));
  const auto statistics = std::array{
      BatchNormStatistics::local, BatchNormStatistics::spatial, BatchNormStatistics::global};
  for (LayerIndex layer = 0; layer < network.layer_count(); ++layer) {
    LayerPlan& choice = plan.layers[static_cast<std::size_t>(layer)];
    const auto& inputs = network.inputs_of(layer);
    if (!inputs.empty()) choice.mesh = plan.layers[static_cast<std::size_t>(inputs[0])].mesh;
    if (one_in(random, 3)) choice.mesh = random_mesh(random, ranks);
    choice.statistics = statistics[static_cast<std::size_t>(below(random, 3))];
  }
  plan.bucket_bytes = 1 + below(random, 2000);
  for (AllreduceAlgorithm* algorithm : {&plan.gradient_allreduce, &plan.statistics_allreduce}) {
    *algorithm = one_in(random, 2) ? AllreduceAlgorithm::ring : AllreduceAlgorithm::library;
  }
  return plan;
}

}  // namespace cnnplan::test
