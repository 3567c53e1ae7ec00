// Compares sums over many terms with sums in double, for all kinds that sum except convolutions.
#include "tests/executor/backend/sums/exact_sums.hpp"
#include "tests/slow_build.hpp"

namespace cnnplan::test {
namespace {

double bias_gradient(const std::string& backend,
                     std::vector<float>& dy,
                     std::int64_t channels,
                     std::int64_t samples) {
  const Shape sample{{1, channels, 1, 1000, std::ssize(dy) / channels / 1000}};
  KernelSpec spec{.kind = KernelKind::bias, .phase = KernelPhase::backward_filter};
  spec.in = spec.out = sample;
  spec.in[Dim::n] = spec.out[Dim::n] = samples;
  std::vector<float> dbias(channels);
  run(backend, spec, {repeated(dy, sample, samples), flat_view(dbias)});
  return dbias.back();
}

}  // namespace

TEST_CASE("large sums: gradients of biases") {
  for_each_backend([](const std::string& backend, Numbers kind) {
    for (const std::int64_t channels : {1, 3}) {
      auto dy = numbers<float>(kind, channels * rows_of(1000) * 1000);
      Exact exact;
      // Floats count ones up to 2^24.
      const std::int64_t samples = kind != Numbers::ones || is_slow_build ? 2
                                   : channels == 1 && backend == "onednn" ? 100
                                                                          : 20;
      for (std::size_t i = channels - 1; i < dy.size(); i += channels) exact.add(dy[i]);
      exact.scale(static_cast<double>(samples));
      exact.terms *= static_cast<double>(samples);
      check(bias_gradient(backend, dy, channels, samples), exact, kind);
      const double half = bias_gradient(backend, dy, channels, samples / 2);
      check(static_cast<float>(half) + static_cast<float>(half), exact, kind);
    }
  });
}

TEST_CASE("large sums: average pooling over an image") {
  for_each_backend([](const std::string& backend, Numbers kind) {
    for (const std::int64_t channels : {1, 3}) {
      const bool counts = kind == Numbers::ones && channels == 1 && !is_slow_build;
      const std::int64_t rows = counts ? 20'000 : rows_of(500);
      KernelSpec spec{.kind = KernelKind::pooling, .pooling = PoolingMode::average};
      spec.in = {{1, channels, 1, rows, 1000}};
      spec.out = {{1, channels, 1, 1, 1}};
      spec.window.dims[1] = {.kernel = rows, .stride = rows};
      spec.window.dims[2] = {.kernel = 1000, .stride = 1000};
      auto x = numbers<float>(kind, volume(spec.in));
      std::vector<float> y(channels);
      run(backend, spec, {view(x, spec.in), view(y, spec.out)});
      Exact exact;
      for (std::size_t i = channels - 1; i < x.size(); i += channels) exact.add(x[i]);
      exact.scale(1.0 / exact.terms);
      check(y.back(), exact, kind);
      if (counts) continue;
      // The gradient of each input is a share of the one output.
      std::vector<float> dx(x.size());
      spec.phase = KernelPhase::backward_data;
      run(backend, spec, {view(y, spec.out), view(dx, spec.in)});
      CHECK(dx.back() == doctest::Approx(y.back() / exact.terms).epsilon(1e-6));
    }
  });
}

TEST_CASE("large sums: gradients of inputs that many windows read") {
  constexpr std::int64_t kernel = 40;
  for_each_backend([](const std::string& backend, Numbers kind) {
    for (const PoolingMode mode : {PoolingMode::max, PoolingMode::average}) {
      KernelSpec spec{.kind = KernelKind::pooling, .pooling = mode};
      spec.in = {{1, 2, 1, 2 * kernel - 1, 2 * kernel - 1}};
      spec.out = {{1, 2, 1, kernel, kernel}};
      spec.window.dims[1] = spec.window.dims[2] = {.kernel = kernel};
      // All windows have the input in the middle, which is the largest.
      const std::int64_t middle = volume(spec.in) / 2 - 1;
      std::vector<float> x(volume(spec.in));
      x[middle] = 1.0F;
      std::vector<float> y(volume(spec.out));
      std::vector<std::int32_t> index(y.size());
      std::vector<TensorView> operands{view(x, spec.in), view(y, spec.out)};
      if (mode == PoolingMode::max) operands.push_back(view(index, spec.out));
      run(backend, spec, operands);
      spec.phase = KernelPhase::backward_data;
      auto dy = numbers<float>(kind, volume(spec.out));
      Exact exact;
      for (std::size_t i = 0; i < dy.size(); i += 2) exact.add(dy[i]);
      if (mode == PoolingMode::average) exact.scale(1.0 / (kernel * kernel));
      operands = {view(dy, spec.out), view(x, spec.in)};
      if (mode == PoolingMode::max) operands.insert(operands.begin(), view(index, spec.out));
      run(backend, spec, operands);
      check(x[middle], exact, kind);
    }
  });
}

TEST_CASE("large sums: statistics of batch norms") {
  for_each_backend([](const std::string& backend, Numbers kind) {
    const Shape sample{{1, 1, 1, rows_of(1000), 1000}};
    constexpr std::int64_t samples = 4;
    KernelSpec spec{.kind = KernelKind::batch_norm, .phase = KernelPhase::forward_statistics};
    spec.in = spec.out = sample;
    spec.in[Dim::n] = spec.out[Dim::n] = samples;
    // The mean is far from zero.
    auto x = numbers<float>(kind, volume(sample));
    for (float& value : x) value = 100.0F + value;
    auto dy = numbers<float>(kind, volume(sample), 2);
    std::vector<double> sums(3);
    run(backend, spec, {repeated(x, sample, samples), flat_view(sums)});
    Exact sum;
    Exact squares;
    for (int i = 0; i < samples; ++i) {
      for (const double value : x) sum.add(value), squares.add(value * value);
    }
    check(sums[0], sum, kind);
    check(sums[1], squares, kind);
    spec.phase = KernelPhase::backward_statistics;
    std::vector<double> gradient_sums(2);
    std::vector<float> dscale(1);
    std::vector<float> dshift(1);
    run(backend,
        spec,
        {repeated(x, sample, samples),
         repeated(dy, sample, samples),
         flat_view(sums),
         flat_view(gradient_sums),
         flat_view(dscale),
         flat_view(dshift)},
        {.epsilon = 1e-3});
    const double mean = sum.sum / sum.terms;
    const double variance = std::max(0.0, squares.sum / sum.terms - mean * mean);
    Exact shift;
    Exact scale;
    for (int i = 0; i < samples; ++i) {
      for (std::size_t j = 0; j < x.size(); ++j) {
        shift.add(dy[j]);
        scale.add(dy[j] * (x[j] - mean) / std::sqrt(variance + 1e-3));
      }
    }
    check(dshift[0], shift, kind);
    if (kind != Numbers::ones) check(dscale[0], scale, kind);
  });
}

TEST_CASE("large sums: losses") {
  for_each_backend([](const std::string& backend, Numbers kind) {
    const Shape sample{{1, 2, 1, rows_of(500), 1000}};
    constexpr std::int64_t samples = 4;
    KernelSpec spec{.kind = KernelKind::mean_squared_error};
    spec.in = spec.out = sample;
    spec.in[Dim::n] = spec.out[Dim::n] = samples;
    auto x = numbers<float>(kind, volume(sample));
    std::vector<float> targets(x.size());
    std::vector<float> differences(x.size());
    std::vector<double> loss(1);
    run(backend,
        spec,
        {repeated(x, sample, samples),
         repeated(targets, sample, samples),
         repeated(differences, sample, samples),
         flat_view(loss)});
    Exact exact;
    for (int i = 0; i < samples; ++i) {
      for (const double value : x) exact.add(value * value);
    }
    check(loss[0], exact, kind);
    spec.kind = KernelKind::softmax_cross_entropy;
    spec.in = spec.out = sample;
    std::vector<std::int32_t> labels(x.size() / 2);
    run(backend,
        spec,
        {view(x, sample), flat_view(labels), view(differences, sample), flat_view(loss)});
    Exact entropy;
    for (std::size_t i = 0; i < x.size(); i += 2) {
      entropy.add(std::log1p(std::exp(static_cast<double>(x[i + 1]) - x[i])));
    }
    CHECK(std::abs(loss[0] - entropy.sum) <= entropy.bound());
  });
}

TEST_CASE("large sums: local response norms over many channels") {
  constexpr std::int64_t channels = 4095;
  // s is the sum of all squares, y is x / s, and dx = dy / s - 2 x sum(dy x / s^2).
  const KernelConstants constants{.response_scale = 1.0, .response_beta = 1.0, .response_k = 0.0};
  for_each_backend([&](const std::string& backend, Numbers kind) {
    KernelSpec spec{.kind = KernelKind::local_response_norm, .local_size = 2 * channels};
    spec.in = spec.out = {{1, channels, 1, 1, 1}};
    auto x = numbers<float>(kind, channels);
    auto dy = numbers<float>(kind, channels, 2);
    std::vector<float> y(channels);
    std::vector<float> dx(channels);
    run(backend, spec, {view(x, spec.in), view(y, spec.out)}, constants);
    spec.phase = KernelPhase::backward_data;
    run(backend, spec, {view(x, spec.in), view(dy, spec.out), view(dx, spec.in)}, constants);
    Exact squares;
    Exact products;
    for (std::int64_t c = 0; c < channels; ++c) {
      squares.add(static_cast<double>(x[c]) * x[c]);
      products.add(static_cast<double>(x[c]) * dy[c]);
    }
    const double relative = squares.bound() / squares.sum;
    CHECK(std::abs(y[7] - x[7] / squares.sum) <= relative * std::abs(x[7] / squares.sum));
    const double factor = 2.0 * x[7] / squares.sum / squares.sum;
    const double expected = dy[7] / squares.sum - factor * products.sum;
    const double magnitude = std::abs(dy[7] / squares.sum) + std::abs(factor) * products.magnitude;
    CHECK(std::abs(dx[7] - expected) <= 2.0 * relative * magnitude);
  });
}

TEST_CASE("large sums: gradients of an upsampling by a large factor") {
  for_each_backend([](const std::string& backend, Numbers kind) {
    constexpr std::int64_t factor = 1000;
    KernelSpec spec{.kind = KernelKind::upsample, .phase = KernelPhase::backward_data};
    spec.in = {{1, 1, 1, 1, 1}};
    spec.out = {{1, 1, 1, factor, factor}};
    spec.window.dims[1] = spec.window.dims[2] = {.kernel = factor, .stride = factor};
    auto dy = numbers<float>(kind, volume(spec.out));
    std::vector<float> dx(1);
    run(backend, spec, {view(dy, spec.out), view(dx, spec.in)});
    Exact exact;
    for (const float value : dy) exact.add(value);
    check(dx[0], exact, kind);
  });
}

}  // namespace cnnplan::test
