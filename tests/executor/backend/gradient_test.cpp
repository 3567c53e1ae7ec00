// Compares gradients of the reference backend with finite differences of its own forward kernels.
#include <functional>
#include <numeric>

#include <doctest/doctest.h>

#include "executor/backend/element_wise_functions.hpp"
#include "tests/executor/backend/harness.hpp"

namespace cnnplan::test {
namespace {

using Function = std::function<Values(const Values&)>;

double dot(const Values& a, const Values& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

// Returns the gradient of dot(f(x), dy) by central differences.
Values numeric_gradient(const Function& f, Values x, const Values& dy) {
  constexpr double step = 1e-5;
  Values gradient(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double at = x[i];
    x[i] = at + step;
    const double above = dot(f(x), dy);
    x[i] = at - step;
    const double below = dot(f(x), dy);
    x[i] = at;
    gradient[i] = (above - below) / (2.0 * step);
  }
  return gradient;
}

Block dense(const Shape& shape) {
  return Block::dense(Element::fp64, shape);
}
Block vector_of(const Values& values) {
  return flat(Element::fp64, static_cast<std::int64_t>(values.size())).fill(values);
}

constexpr double close = 1e-7;

KernelSpec convolution_spec() {
  KernelSpec spec;
  spec.groups = 2;
  spec.bias = true;
  spec.window.dims[0] = {.kernel = 2, .padding_begin = 1};
  spec.window.dims[1] = {.kernel = 3, .stride = 2, .padding_begin = 1, .padding_end = 0};
  spec.window.dims[2] = {.kernel = 2, .padding_begin = 0, .padding_end = 1, .dilation = 2};
  spec.in = {{2, 4, 2, 5, 4}};
  spec.out = {{2, 6, 2, 2, 3}};
  return spec;
}

Values convolve(const Values& x, const Values& weight, const Values& bias) {
  const KernelSpec spec = convolution_spec();
  Block in = dense(spec.in).fill(x);
  Block w = vector_of(weight);
  Block b = vector_of(bias);
  Block y = dense(spec.out);
  run(oracle(), spec, {}, {}, {&in, &w, &b, &y});
  return y.values();
}

// Computes y, the batch norm of x with ReLU and a residual, through both forward phases.
struct BatchNormCase {
  Shape shape{{2, 3, 1, 3, 2}};
  KernelConstants constants{.epsilon = 1e-3, .running_momentum = 0.1};
  Block mean = vector_of({0.0, 0.0, 0.0});
  Block variance = vector_of({1.0, 1.0, 1.0});
  Block sums = flat(Element::fp64, 7);
  Block y = dense(shape);

  KernelSpec spec(KernelPhase phase) const {
    KernelSpec spec;
    spec.kind = KernelKind::batch_norm;
    spec.phase = phase;
    spec.in = spec.out = shape;
    spec.relu = spec.residual = true;
    return spec;
  }
  Values forward(const Values& x, const Values& scale, const Values& shift, const Values& added) {
    Block in = dense(shape).fill(x);
    Block scales = vector_of(scale);
    Block shifts = vector_of(shift);
    Block residual = dense(shape).fill(added);
    run(oracle(), spec(KernelPhase::forward_statistics), constants, {}, {&in, &sums});
    run(oracle(),
        spec(KernelPhase::forward),
        constants,
        {},
        {&in, &sums, &scales, &shifts, &mean, &variance, &residual, &y});
    return y.values();
  }
};

}  // namespace

TEST_CASE("gradient: convolution") {
  Random random(1);
  KernelSpec spec = convolution_spec();
  const Values x = random.values(volume(spec.in));
  const Values weight = random.values(144);
  const Values bias = random.values(6);
  const Values dy = random.values(volume(spec.out));
  Block in = dense(spec.in).fill(x);
  Block w = vector_of(weight);
  Block gradient = dense(spec.out).fill(dy);
  Block dx = dense(spec.in);
  Block dw = flat(Element::fp64, static_cast<std::int64_t>(weight.size()));
  Block db = flat(Element::fp64, 6);
  spec.phase = KernelPhase::backward_filter;
  run(oracle(), spec, {}, {}, {&in, &gradient, &dw, &db});
  spec.phase = KernelPhase::backward_data;
  spec.bias = false;
  run(oracle(), spec, {}, {}, {&gradient, &w, &dx});
  const auto of_x = [&](const Values& v) { return convolve(v, weight, bias); };
  const auto of_weight = [&](const Values& v) { return convolve(x, v, bias); };
  const auto of_bias = [&](const Values& v) { return convolve(x, weight, v); };
  CHECK(difference(dx.values(), numeric_gradient(of_x, x, dy)) < close);
  CHECK(difference(dw.values(), numeric_gradient(of_weight, weight, dy)) < close);
  CHECK(difference(db.values(), numeric_gradient(of_bias, bias, dy)) < close);
}

TEST_CASE("gradient: pooling") {
  Random random(2);
  for (int i = 0; i < 3; ++i) {
    KernelSpec spec;
    spec.kind = KernelKind::pooling;
    spec.pooling = i == 0 ? PoolingMode::max : PoolingMode::average;
    spec.count_include_padding = i == 2;
    const bool is_max = i == 0;
    spec.window.dims[1] = {.kernel = 3, .stride = 2, .padding_begin = 1, .padding_end = 1};
    spec.window.dims[2] = {.kernel = 2, .stride = 1, .padding_begin = 1};
    spec.in = {{2, 3, 1, 5, 4}};
    spec.out = {{2, 3, 1, 3, 4}};
    const Values dy = random.values(volume(spec.out));
    const Values x = random.values(volume(spec.in));
    Block index = Block::dense(Element::int32, spec.out);
    const auto pool = [&](const Values& v) {
      Block in = dense(spec.in).fill(v);
      Block out = dense(spec.out);
      std::vector<Block*> operands{&in, &out};
      if (is_max) operands.push_back(&index);
      run(oracle(), spec, {}, {}, operands);
      return out.values();
    };
    const Values expected = numeric_gradient(pool, x, dy);
    pool(x);
    Block gradient = dense(spec.out).fill(dy);
    Block dx = dense(spec.in);
    KernelSpec backward = spec;
    backward.phase = KernelPhase::backward_data;
    std::vector<Block*> operands{&gradient, &dx};
    if (is_max) operands.insert(operands.begin(), &index);
    run(oracle(), backward, {}, {}, operands);
    CHECK(difference(dx.values(), expected) < close);
  }
}

// Returns the gradient of a kernel with one input and no parameters.
void check_gradient(KernelSpec spec, const KernelConstants& constants, Random& random) {
  const Values x = random.values(volume(spec.in));
  const Values dy = random.values(volume(spec.out));
  const auto forward = [&](const Values& v) {
    Block in = dense(spec.in).fill(v);
    Block out = dense(spec.out);
    run(oracle(), spec, constants, {}, {&in, &out});
    return out.values();
  };
  const Values expected = numeric_gradient(forward, x, dy);
  Block gradient = dense(spec.out).fill(dy);
  Block dx = dense(spec.in);
  spec.phase = KernelPhase::backward_data;
  run(oracle(), spec, constants, {}, {&gradient, &dx});
  CHECK(difference(dx.values(), expected) < close);
}

TEST_CASE("gradient: bias") {
  Random random(8);
  KernelSpec spec;
  spec.kind = KernelKind::bias;
  spec.in = spec.out = {{2, 3, 2, 2, 3}};
  const Values x = random.values(volume(spec.in));
  const Values dy = random.values(volume(spec.out));
  const Values bias = random.values(3);
  const auto add = [&](const Values& v) {
    Block in = dense(spec.in).fill(x);
    Block added = vector_of(v);
    Block out = dense(spec.out);
    run(oracle(), spec, {}, {}, {&in, &added, &out});
    return out.values();
  };
  Block gradient = dense(spec.out).fill(dy);
  Block dbias = flat(Element::fp64, 3);
  KernelSpec backward = spec;
  backward.phase = KernelPhase::backward_filter;
  run(oracle(), backward, {}, {}, {&gradient, &dbias});
  CHECK(difference(dbias.values(), numeric_gradient(add, bias, dy)) < close);
}

TEST_CASE("gradient: upsample") {
  Random random(6);
  KernelSpec spec;
  spec.kind = KernelKind::upsample;
  spec.window.dims[0] = {.kernel = 2, .stride = 2, .padding_begin = 1, .padding_end = 1};
  spec.window.dims[1] = {.kernel = 3, .stride = 3, .padding_begin = 1};
  spec.window.dims[2] = {.kernel = 2, .stride = 2, .padding_end = 1};
  spec.in = {{2, 3, 2, 2, 3}};
  spec.out = {{2, 3, 2, 5, 5}};
  check_gradient(spec, {}, random);
}

TEST_CASE("gradient: interpolate") {
  Random random(7);
  KernelSpec spec;
  spec.kind = KernelKind::interpolate;
  spec.in = {{2, 3, 2, 4, 3}};
  spec.out = {{2, 3, 4, 5, 7}};
  const KernelConstants constants{.axes = {{{2, -1, 4}, {2, 1, 4}, {2, 0, 6}}}};
  check_gradient(spec, constants, random);
}

TEST_CASE("gradient: local response norm") {
  Random random(8);
  KernelSpec spec;
  spec.kind = KernelKind::local_response_norm;
  spec.in = spec.out = {{2, 7, 1, 2, 3}};
  const Values dy = random.values(volume(spec.out));
  const Values x = random.values(volume(spec.in));
  const KernelConstants constants{.response_scale = 0.25, .response_beta = 0.75, .response_k = 1.5};
  for (const std::int64_t size : {1, 3, 4, 20}) {
    CAPTURE(size);
    spec.local_size = size;
    spec.phase = KernelPhase::forward;
    const auto normalised = [&](const Values& v) {
      Block in = dense(spec.in).fill(v);
      Block out = dense(spec.out);
      run(oracle(), spec, constants, {}, {&in, &out});
      return out.values();
    };
    const Values expected = numeric_gradient(normalised, x, dy);
    spec.phase = KernelPhase::backward_data;
    Block in = dense(spec.in).fill(x);
    Block gradient = dense(spec.out).fill(dy);
    Block dx = dense(spec.in);
    run(oracle(), spec, constants, {}, {&in, &gradient, &dx});
    CHECK(difference(dx.values(), expected) < close);
  }
}

TEST_CASE("gradient: element-wise functions") {
  Random random(12);
  const KernelConstants constants{.parameter = 0.5};
  for (const KernelKind kind : Enumerators<KernelKind>::all) {
    if (!ElementWiseFunctions::has(kind)) continue;
    INFO(to_text(kind));
    KernelSpec spec{.kind = kind, .in = {{2, 3, 1, 4, 3}}, .out = {{2, 3, 1, 4, 3}}};
    const Values x = random.values(volume(spec.in));
    const Values dy = random.values(volume(spec.out));
    const Function forward = [&constants, spec](const Values& values) {
      Block in = dense(spec.in).fill(values);
      Block y = dense(spec.out);
      run(oracle(), spec, constants, {}, {&in, &y});
      return y.values();
    };
    const Values numeric = numeric_gradient(forward, x, dy);
    spec.phase = KernelPhase::backward_data;
    const bool reads_output = OperandPositions(spec).has(OperandRole::y);
    Block saved = dense(spec.in).fill(reads_output ? forward(x) : x);
    Block errors = dense(spec.out).fill(dy);
    Block dx = dense(spec.in);
    run(oracle(), spec, constants, {}, {&saved, &errors, &dx});
    CHECK(difference(dx.values(), numeric) < close);
  }
}

TEST_CASE("gradient: channel shuffle") {
  Random random(7);
  KernelSpec spec;
  spec.kind = KernelKind::channel_shuffle;
  spec.groups = 3;
  spec.in = spec.out = {{2, 6, 1, 2, 3}};
  const Values x = random.values(volume(spec.in));
  const Values dy = random.values(volume(spec.out));
  const auto shuffle = [&](const Values& v) {
    Block in = dense(spec.in).fill(v);
    Block out = dense(spec.out);
    run(oracle(), spec, {}, {}, {&in, &out});
    return out.values();
  };
  const Values expected = numeric_gradient(shuffle, x, dy);
  Block gradient = dense(spec.out).fill(dy);
  Block dx = dense(spec.in);
  KernelSpec backward = spec;
  backward.phase = KernelPhase::backward_data;
  run(oracle(), backward, {}, {}, {&gradient, &dx});
  CHECK(difference(dx.values(), expected) < close);
}

TEST_CASE("gradient: batch norm with ReLU and residual") {
  Random random(3);
  BatchNormCase net;
  const Values x = random.values(volume(net.shape));
  const Values added = random.values(volume(net.shape));
  const Values dy = random.values(volume(net.shape));
  const Values scale = random.values(3);
  const Values shift = random.values(3);
  const auto of_x = [&](const Values& v) { return net.forward(v, scale, shift, added); };
  const auto of_scale = [&](const Values& v) { return net.forward(x, v, shift, added); };
  const auto of_shift = [&](const Values& v) { return net.forward(x, scale, v, added); };
  const auto of_added = [&](const Values& v) { return net.forward(x, scale, shift, v); };
  const Values expected_x = numeric_gradient(of_x, x, dy);
  const Values expected_scale = numeric_gradient(of_scale, scale, dy);
  const Values expected_shift = numeric_gradient(of_shift, shift, dy);
  const Values expected_added = numeric_gradient(of_added, added, dy);
  net.forward(x, scale, shift, added);
  Block in = dense(net.shape).fill(x);
  Block gradient = dense(net.shape).fill(dy);
  Block gradient_sums = flat(Element::fp64, 6);
  Block scales = vector_of(scale);
  Block dscale = flat(Element::fp64, 3);
  Block dshift = flat(Element::fp64, 3);
  Block dz = dense(net.shape);
  Block dx = dense(net.shape);
  run(oracle(),
      net.spec(KernelPhase::backward_statistics),
      net.constants,
      {},
      {&in, &gradient, &net.y, &net.sums, &gradient_sums, &dscale, &dshift, &dz});
  run(oracle(),
      net.spec(KernelPhase::backward_data),
      net.constants,
      {},
      {&in, &dz, &net.sums, &gradient_sums, &scales, &dx});
  CHECK(difference(dx.values(), expected_x) < 1e-6);
  CHECK(difference(dscale.values(), expected_scale) < 1e-6);
  CHECK(difference(dshift.values(), expected_shift) < 1e-6);
  CHECK(difference(dz.values(), expected_added) < 1e-6);
}

TEST_CASE("gradient: mean squared error") {
  Random random(8);
  KernelSpec spec;
  spec.kind = KernelKind::mean_squared_error;
  spec.in = spec.out = {{2, 3, 1, 2, 2}};
  const KernelConstants constants{.loss_count = 24.0};
  const Values x = random.values(volume(spec.in));
  Block targets = dense(spec.in).fill(random.values(volume(spec.in)));
  Block differences = dense(spec.in);
  const auto loss_of = [&](const Values& v) {
    Block in = dense(spec.in).fill(v);
    Block loss = flat(Element::fp64, 1);
    run(oracle(), spec, constants, {}, {&in, &targets, &differences, &loss});
    return loss.values();
  };
  const Values expected = numeric_gradient(loss_of, x, {1.0});
  loss_of(x);
  Block dx = dense(spec.in);
  spec.phase = KernelPhase::backward_data;
  run(oracle(), spec, constants, {}, {&differences, &dx});
  CHECK(difference(dx.values(), expected) < close);
}

TEST_CASE("gradient: softmax cross-entropy") {
  Random random(4);
  KernelSpec spec;
  spec.kind = KernelKind::softmax_cross_entropy;
  spec.in = spec.out = {{2, 5, 1, 2, 2}};
  const KernelConstants constants{.loss_count = 8.0};
  const Values x = random.values(volume(spec.in));
  Block labels = Block::dense(Element::int32, {{2, 1, 1, 2, 2}}).fill({0, 1, 2, 3, 4, 0, 1, 2});
  Block probabilities = dense(spec.in);
  const auto loss_of = [&](const Values& v) {
    Block in = dense(spec.in).fill(v);
    Block loss = flat(Element::fp64, 1);
    run(oracle(), spec, constants, {}, {&in, &labels, &probabilities, &loss});
    return loss.values();
  };
  const Values expected = numeric_gradient(loss_of, x, {1.0});
  loss_of(x);
  Block dx = dense(spec.in);
  spec.phase = KernelPhase::backward_data;
  run(oracle(), spec, constants, {}, {&probabilities, &labels, &dx});
  CHECK(difference(dx.values(), expected) < close);
}

}  // namespace cnnplan::test
