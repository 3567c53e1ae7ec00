// Tests transposed convolutions on random splits against loops that scatter every input over its
// taps.
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "executor/data/synthetic_data.hpp"
#include "planner/network/enumerators.hpp"
#include "planner/schedule/blocks/ownership.hpp"
#include "tests/executor/data/block_buffer.hpp"
#include "tests/executor/data/read_batch.hpp"
#include "tests/executor/tested_backend.hpp"
#include "tests/executor/training/training_run.hpp"
#include "tests/planner/base/random_values.hpp"
#include "tests/planner/network/random_network.hpp"

namespace cnnplan::test {
namespace {

constexpr std::uint64_t data_seed = 7;
constexpr int cases = 80;

// Holds a whole tensor in the order of its indices.
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

// Returns a network of an input, a pointwise convolution "spread", a transposed convolution "up"
// and a loss.
Network random_network(RandomValues& random) {
  const bool deep = random.small(1, 3) == 1;
  const std::int64_t groups = random.boolean() ? 1 : random.integer(2, 3);
  const std::int64_t channels = groups * random.integer(1, 3);
  TransposedConvolution up{
      .filters = groups * random.integer(1, 4), .groups = groups, .bias = random.boolean()};
  for (std::size_t i = deep ? 0 : 1; i < spatial_dims.size(); ++i) {
    WindowDim& dim = up.window.dims[i];
    dim.kernel = random.integer(1, 4);
    dim.stride = random.integer(1, 4);
    dim.dilation = random.integer(1, 2);
    // Three or more inputs reach further than the padding takes away.
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

// Turns one of the axes into c, if the layer may be split so.
void split_channels(RandomValues& random, Plan& plan, LayerIndex layer) {
  LayerPlan& own = plan.layers[layer];
  std::vector<MeshAxis> axes(own.mesh.axes().begin(), own.mesh.axes().end());
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
  for (LayerIndex i(1); i < plan.layers.end_index(); ++i) {
    if (random.boolean()) plan.layers[i].mesh = random_mesh(100 * seed + i, ranks);
  }
  if (random.boolean()) split_channels(random, plan, LayerIndex(2));
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

// Returns the derivative of the mean of -log softmax at the labels.
Tensor error_signal(Tensor& logits, BlockBuffer<std::int32_t>& labels) {
  Tensor dy(logits.shape);
  const std::int64_t channels = logits.shape[Dim::c];
  const std::int64_t positions = volume(logits.shape) / channels;
  const auto count = static_cast<double>(positions);
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

// Computes the layers of a plan in plain loops.
class Loops {
 public:
  Loops(const Plan& plan, const NamedValues& weights)
      : up_(std::get<TransposedConvolution>(plan.network.layer(LayerIndex(2)).parameters)),
        batch_(batch_shape(plan.network, plan.batch, Precision::fp64)),
        data_(whole(batch_.samples)),
        labels_(whole(batch_.labels)),
        spread_(weight_shape(plan.network, LayerIndex(1)), weights.at("spread/weight")),
        weight_(weight_shape(plan.network, LayerIndex(2)), weights.at("up/weight")),
        x_(plan.network.output_shape(LayerIndex(1), plan.batch)),
        y_(plan.network.output_shape(LayerIndex(2), plan.batch)) {
    read_batch(SyntheticData(batch_, data_seed), 0, data_.view(), labels_.view());
    if (up_.bias) bias_ = weights.at("up/bias");
  }

  Expected run() {
    for_each_spread(
        [&](const Index& i, const Index& k, double value) { x_[i] += spread_[k] * value; });
    for_each_index(whole(y_.shape), [&](const Index& o) {
      if (up_.bias) y_[o] = bias_[static_cast<std::size_t>(o[1])];
    });
    for_each_product(up_, x_, weight_, y_, [&](const Index& i, const Index& k, const Index& o) {
      y_[o] += x_[i] * weight_[k];
    });
    return {.output = y_.values, .gradients = gradients()};
  }

 private:
  // Calls f(index in x, weight index, element of the data).
  template <typename F>
  void for_each_spread(F f) {
    for_each_index(whole(x_.shape), [&](const Index& i) {
      Index from = i;
      for (from[1] = 0; from[1] < batch_.samples[Dim::c]; ++from[1]) {
        f(i, Index{i[1], from[1]}, data_.at(from));
      }
    });
  }

  NamedValues gradients() {
    Tensor dy = error_signal(y_, labels_);
    Tensor dx(x_.shape);
    Tensor dweight(weight_.shape);
    for_each_product(up_, x_, weight_, y_, [&](const Index& i, const Index& k, const Index& o) {
      dx[i] += dy[o] * weight_[k];
      dweight[k] += dy[o] * x_[i];
    });
    Tensor dspread(spread_.shape);
    for_each_spread(
        [&](const Index& i, const Index& k, double value) { dspread[k] += dx[i] * value; });
    NamedValues all{{"spread/weight", dspread.values}, {"up/weight", dweight.values}};
    if (!up_.bias) return all;
    std::vector<double>& dbias = all["up/bias"];
    dbias.assign(bias_.size(), 0.0);
    for_each_index(whole(y_.shape),
                   [&](const Index& o) { dbias[static_cast<std::size_t>(o[1])] += dy[o]; });
    return all;
  }

  const TransposedConvolution& up_;
  BatchShape batch_;
  BlockBuffer<double> data_;
  BlockBuffer<std::int32_t> labels_;
  Tensor spread_;
  Tensor weight_;
  std::vector<double> bias_;
  Tensor x_;
  Tensor y_;
};

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
  const Expected expected = Loops(plan, weights).run();
  const RunResult result = run(1);
  if (world.rank() == 0) CHECK(difference(result.output, expected.output) < tolerance);
  CHECK(result.gradients.size() == expected.gradients.size());
  for (const auto& expected_gradient : expected.gradients) {
    const std::string& name = expected_gradient.first;
    CAPTURE(name);
    CHECK(difference(result.gradients.at(name), expected_gradient.second) < tolerance);
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
