// Transposed convolutions on random splits against loops that scatter every input over its taps.
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "executor/training/synthetic_data.hpp"
#include "tests/executor/tested_backend.hpp"
#include "tests/executor/training/block_buffer.hpp"
#include "tests/executor/training/training_run.hpp"
#include "tests/planner/model/random_network.hpp"
#include "tests/planner/model/random_values.hpp"

namespace cnnplan::test {
namespace {

constexpr std::uint64_t data_seed = 7;
constexpr int cases = 40;

// A whole tensor in the order of its indices.
struct Tensor {
  explicit Tensor(const Shape& extents)
      : shape(extents), values(static_cast<std::size_t>(volume(extents)), 0.0) {}
  Tensor(const Shape& extents, const std::vector<double>& all) : shape(extents), values(all) {
    REQUIRE(static_cast<std::int64_t>(all.size()) == volume(extents));
  }

  double& operator[](const Index& index) {
    std::int64_t place = 0;
    for (Dim dim : all_dims) place = place * shape[dim] + index[static_cast<std::size_t>(dim)];
    return values[static_cast<std::size_t>(place)];
  }

  Shape shape;
  std::vector<double> values;
};

// data, a pointwise convolution "spread", a transposed convolution "up", loss.
Network random_network(RandomValues& random) {
  const bool deep = random.small(1, 3) == 1;
  const std::int64_t groups = random.integer(1, 3);
  const std::int64_t channels = groups * random.integer(1, 3);
  TransposedConvolution up{
      .filters = groups * random.integer(1, 4), .groups = groups, .bias = random.boolean()};
  for (std::size_t i = deep ? 0 : 1; i < spatial_dims.size(); ++i) {
    WindowDim& dim = up.window.dims[i];
    dim.kernel = random.integer(1, 4);
    dim.stride = random.integer(1, 4);
    dim.dilation = random.integer(1, 2);
    // Three inputs, or more, are more than the padding takes.
    dim.padding_begin = random.integer(0, dim.reach() / 2);
    dim.padding_end = random.integer(0, (dim.reach() - 1) / 2);
    up.output_padding[i] = random.integer(0, dim.stride - 1);
  }
  const std::array<std::int64_t, 3> size{
      deep ? random.integer(3, 4) : 1, random.integer(3, 7), random.integer(3, 6)};
  return Network("transposed",
                 {{"data", {}, Input{.channels = 2, .size = size}},
                  {"spread", {"data"}, Convolution{.filters = channels}},
                  {"up", {"spread"}, up},
                  {"loss", {"up"}, SoftmaxCrossEntropy{}}});
}

// One of the axes becomes c, where the layer may be split so.
void split_channels(RandomValues& random, Plan& plan, LayerIndex layer) {
  LayerPlan& own = plan.layers[static_cast<std::size_t>(layer)];
  std::vector<MeshAxis> axes = own.mesh.axes();
  if (axes.empty()) return;
  const auto last = static_cast<std::int64_t>(axes.size()) - 1;
  axes[static_cast<std::size_t>(random.integer(0, last))].axis = Axis::c;
  const Mesh mesh(axes);
  const auto algorithm = random.enumerator<ChannelAlgorithm>();
  const int parts = mesh.size(Axis::c);
  if (!channel_split_refusal(plan.network, layer, parts, algorithm).empty()) return;
  own.mesh = mesh;
  own.channel_algorithm = algorithm;
}

Plan random_split(std::uint64_t seed, int ranks) {
  RandomValues random(seed);
  const Network network = random_network(random);
  Plan plan = uniform_plan(network, random.integer(1, 3), random_mesh(seed, ranks));
  for (std::size_t i = 1; i < plan.layers.size(); ++i) {
    if (random.boolean()) plan.layers[i].mesh = random_mesh(100 * seed + i, ranks);
  }
  if (random.boolean()) split_channels(random, plan, 2);
  return plan;
}

// Calls f(input index, weight index, output index) for every product of the layer.
template <typename F>
void for_each_product(const TransposedConvolution& up, Tensor& x, Tensor& weight, Tensor& y, F f) {
  const std::int64_t channels = x.shape[Dim::c] / up.groups;
  for_each_index(whole(x.shape), [&](const Index& i) {
    for_each_index(whole(weight.shape), [&](const Index& k) {
      if (k[0] != i[1]) return;
      Index o{i[0], i[1] / channels * weight.shape[Dim::c] + k[1]};
      for (std::size_t d = 0; d < 3; ++d) {
        const WindowDim& dim = up.window.dims[d];
        o[d + 2] = i[d + 2] * dim.stride + k[d + 2] * dim.dilation - dim.padding_begin;
        if (o[d + 2] < 0 || o[d + 2] >= y.shape[spatial_dims[d]]) return;
      }
      f(i, k, o);
    });
  });
}

// The mean of -log softmax at the labels, differentiated.
Tensor error_signal(Tensor& logits, BlockBuffer<std::int32_t>& labels) {
  Tensor dy(logits.shape);
  const std::int64_t channels = logits.shape[Dim::c];
  const auto count = static_cast<double>(volume(logits.shape) / channels);
  for_each_index(labels.box(), [&](Index at) {
    const std::int64_t label = labels.at(at);
    double sum = 0.0;
    for (at[1] = 0; at[1] < channels; ++at[1]) sum += std::exp(logits[at]);
    for (at[1] = 0; at[1] < channels; ++at[1]) {
      dy[at] = (std::exp(logits[at]) / sum - (at[1] == label ? 1.0 : 0.0)) / count;
    }
  });
  return dy;
}

struct Expected {
  std::vector<double> output;
  NamedValues gradients;
};

Expected expected_of(const Plan& plan, const NamedValues& weights) {
  const Network& network = plan.network;
  const auto& up = std::get<TransposedConvolution>(network.layer(2).parameters);
  const BatchShape batch = batch_shape(network, plan.batch, Precision::fp64);
  BlockBuffer<double> data(whole(batch.samples));
  BlockBuffer<std::int32_t> labels(whole(batch.labels));
  SyntheticData(batch, data_seed).read(0, data.view(), labels.view());
  Tensor spread({{network.output_shape(1, 1)[Dim::c], batch.samples[Dim::c], 1, 1, 1}},
                weights.at("spread/weight"));
  const std::array<WindowDim, 3>& dims = up.window.dims;
  Tensor weight({{spread.shape[Dim::n],
                  up.filters / up.groups,
                  dims[0].kernel,
                  dims[1].kernel,
                  dims[2].kernel}},
                weights.at("up/weight"));
  Tensor x(network.output_shape(1, plan.batch));
  for_each_index(whole(x.shape), [&](const Index& i) {
    Index from = i;
    for (from[1] = 0; from[1] < batch.samples[Dim::c]; ++from[1]) {
      x[i] += spread[{i[1], from[1], 0, 0, 0}] * data.at(from);
    }
  });
  Tensor y(network.output_shape(2, plan.batch));
  for_each_index(whole(y.shape), [&](const Index& o) {
    if (up.bias) y[o] = weights.at("up/bias")[static_cast<std::size_t>(o[1])];
  });
  for_each_product(up, x, weight, y, [&](const Index& i, const Index& k, const Index& o) {
    y[o] += x[i] * weight[k];
  });
  Tensor dy = error_signal(y, labels);
  Tensor dx(x.shape);
  Tensor dweight(weight.shape);
  for_each_product(up, x, weight, y, [&](const Index& i, const Index& k, const Index& o) {
    dx[i] += dy[o] * weight[k];
    dweight[k] += dy[o] * x[i];
  });
  Tensor dspread(spread.shape);
  for_each_index(whole(x.shape), [&](const Index& i) {
    Index from = i;
    for (from[1] = 0; from[1] < batch.samples[Dim::c]; ++from[1]) {
      dspread[{i[1], from[1], 0, 0, 0}] += dx[i] * data.at(from);
    }
  });
  Expected expected{
      .output = y.values,
      .gradients = {{"spread/weight", dspread.values}, {"up/weight", dweight.values}}};
  if (!up.bias) return expected;
  std::vector<double>& dbias = expected.gradients["up/bias"];
  dbias.assign(static_cast<std::size_t>(up.filters), 0.0);
  for_each_index(whole(y.shape),
                 [&](const Index& o) { dbias[static_cast<std::size_t>(o[1])] += dy[o]; });
  return expected;
}

double difference(const std::vector<double>& a, const std::vector<double>& b) {
  REQUIRE(a.size() == b.size());
  double largest = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

void check(const Plan& plan,
           const std::string& backend,
           double tolerance,
           const Communicator& world) {
  const auto run = [&](int steps) {
    return run_plan(plan, {.backend = backend, .seed = data_seed, .steps = steps}, world);
  };
  const NamedValues weights = run(0).weights;
  const Expected expected = expected_of(plan, weights);
  const RunResult result = run(1);
  if (world.rank() == 0) CHECK(difference(result.output, expected.output) < tolerance);
  CHECK(result.gradients.size() == expected.gradients.size());
  for (const auto& [name, values] : expected.gradients) {
    CAPTURE(name);
    CHECK(difference(result.gradients.at(name), values) < tolerance);
  }
}

}  // namespace

TEST_CASE("Training: transposed convolutions scatter inputs, and gradients come back") {
  const Communicator world = Communicator::world();
  const std::string fast = tested_backend("onednn");
  int refusals = 0;
  for (std::uint64_t seed = 1; seed <= cases; ++seed) {
    Plan plan = random_split(seed, world.size());
    CAPTURE(to_json(plan));
    const bool refuses = refused_kernel(plan, fast, world.rank()).has_value();
    if (world.maximum(refuses ? 1.0 : 0.0) > 0.0) {
      ++refusals;
    } else {
      check(plan, fast, 1e-4, world);
    }
    plan.precision = Precision::fp64;
    check(plan, tested_backend("reference"), 1e-10, world);
  }
  CHECK(refusals == 0);
}

}  // namespace cnnplan::test
