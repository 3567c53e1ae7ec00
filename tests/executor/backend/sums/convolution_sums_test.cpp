// Compares the sums of convolutions over many terms with sums in double.
#include <array>
#include <type_traits>
#include <vector>

#include "tests/executor/backend/sums/exact_sums.hpp"
#include "tests/slow_build.hpp"

namespace cnnplan::test {
namespace {

// Holds the operands of a filter gradient in the element T.
template <typename T>
struct Gradient {
  KernelSpec spec;
  std::vector<T> x, dy;

  Gradient(const KernelSpec& described, Numbers kind) : spec(described) {
    spec.phase = KernelPhase::backward_filter;
    spec.precision = std::is_same_v<T, float> ? Precision::fp32 : Precision::bf16;
    x = numbers<T>(kind, volume(spec.in), 1);
    dy = numbers<T>(kind, volume(spec.out), 2);
  }

  // Returns the gradient of weights (F, C/groups, KD, KH, KW), then of biases.
  Values run_on(const std::string& backend) {
    Backend& used = prepared(backend);
    std::vector<float> weight(used.weight_elements(spec));
    std::vector<float> bias(spec.bias ? spec.out[Dim::c] : 0);
    std::vector<TensorView> operands{view(x, spec.in), view(dy, spec.out), flat_view(weight)};
    if (spec.bias) operands.push_back(flat_view(bias));
    run(backend, spec, operands);
    Values plain(weight_volume(spec));
    export_weight(used, spec, weight.data(), plain);
    plain.insert(plain.end(), bias.begin(), bias.end());
    return plain;
  }

  // @pre 0 <= index < weight_volume(spec)
  Exact exact_weight(std::int64_t index) const;
  Exact exact_bias(std::int64_t filter) const {
    Exact exact;
    const std::int64_t filters = spec.out[Dim::c];
    for (std::int64_t i = filter; i < std::ssize(dy); i += filters) exact.add(dy[i]);
    return exact;
  }
};

// Calls f(output, input) for the places of one dim where a tap meets an input.
template <typename F>
void for_each_meeting(const KernelSpec& spec, std::size_t dim, std::int64_t tap, F f) {
  const WindowDim& window = spec.window.dims[dim];
  for (std::int64_t out = 0; out < spec.out[spatial_dims[dim]]; ++out) {
    const std::int64_t in = out * window.stride - window.padding_begin + tap * window.dilation;
    if (in >= 0 && in < spec.in[spatial_dims[dim]]) f(out, in);
  }
}

template <typename T>
Exact Gradient<T>::exact_weight(std::int64_t index) const {
  const auto next = [&index](std::int64_t count) {
    const std::int64_t place = index % count;
    index /= count;
    return place;
  };
  const auto& [depth, height, width] = spec.window.dims;
  const std::int64_t k = next(width.kernel);
  const std::int64_t j = next(height.kernel);
  const std::int64_t i = next(depth.kernel);
  const std::int64_t channels = spec.in[Dim::c] / spec.groups;
  const std::int64_t channel = next(channels);
  const std::int64_t group = index / (spec.out[Dim::c] / spec.groups);
  const T* const from = x.data() + group * channels + channel;
  const T* const gradients = dy.data() + index;
  Exact exact;
  const auto offset = [](const Shape& shape, const std::array<std::int64_t, 4>& at) {
    const std::int64_t row = (at[0] * shape[Dim::d] + at[1]) * shape[Dim::h] + at[2];
    return (row * shape[Dim::w] + at[3]) * shape[Dim::c];
  };
  for (std::int64_t n = 0; n < spec.in[Dim::n]; ++n) {
    for_each_meeting(spec, 0, i, [&](std::int64_t out_d, std::int64_t d) {
      for_each_meeting(spec, 1, j, [&](std::int64_t out_h, std::int64_t h) {
        for_each_meeting(spec, 2, k, [&](std::int64_t out_w, std::int64_t w) {
          exact.add(static_cast<double>(from[offset(spec.in, {n, d, h, w})]) *
                    gradients[offset(spec.out, {n, out_d, out_h, out_w})]);
        });
      });
    });
  }
  return exact;
}

struct Layer {
  Shape in;
  std::int64_t filters = 1;
  WindowDim window;
  std::int64_t groups = 1;
  bool deep = false;
};

KernelSpec spec_of(const Layer& layer) {
  KernelSpec spec;
  spec.in = spec.out = layer.in;
  spec.out[Dim::c] = layer.filters;
  spec.groups = layer.groups;
  spec.bias = true;
  for (std::size_t i = layer.deep ? 0 : 1; i < spec.window.dims.size(); ++i) {
    spec.window.dims[i] = layer.window;
    spec.out[spatial_dims[i]] = output_length(layer.in[spatial_dims[i]], layer.window);
  }
  return spec;
}

// A product of matrices of oneDNN adds up to 384 equal products in a float, and other kernels add
// up to 1,024. Their errors have one sign.
void check_weight(double computed, const Exact& exact, Numbers kind) {
  constexpr double equal_products = 1.4e-5;
  if (kind != Numbers::equal) return check(computed, exact, kind);
  CHECK(std::abs(computed - exact.sum) <= equal_products * exact.magnitude);
}

// Compares some weights and a bias.
template <typename T>
void check_gradient(const std::string& backend, const KernelSpec& spec, Numbers kind) {
  INFO(to_text(spec));
  Gradient<T> gradient(spec, kind);
  const Values computed = gradient.run_on(backend);
  const std::int64_t weights = weight_volume(spec);
  for (const std::int64_t index : {std::int64_t{0}, weights / 3, weights - 1}) {
    check_weight(computed[index], gradient.exact_weight(index), kind);
  }
  check(computed.back(), gradient.exact_bias(spec.out[Dim::c] - 1), kind);
}

WindowDim window_of(std::int64_t kernel, std::int64_t stride = 1) {
  return {
      .kernel = kernel, .stride = stride, .padding_begin = kernel / 2, .padding_end = kernel / 2};
}

}  // namespace

TEST_CASE("large sums: gradients of filters and biases of small convolutions") {
  for_each_backend([](const std::string& backend, Numbers kind) {
    const bool counts = kind == Numbers::ones && backend == "onednn" && !is_slow_build;
    for (const Layer& layer :
         {Layer{.in = {{1, 1, 1, counts ? 1700 : rows_of(100), 10'000}}},
          Layer{.in = {{2, 3, 1, rows_of(300), 500}}, .filters = 2},
          Layer{.in = {{1, 1, 1, rows_of(500), 1000}}, .window = window_of(3)}}) {
      check_gradient<float>(backend, spec_of(layer), kind);
    }
  });
}

TEST_CASE("large sums: gradients of filters of other convolutions") {
  const Layer layers[] = {
      {.in = {{3, 16, 1, rows_of(300), 300}}, .filters = 16, .window = window_of(3)},
      {.in = {{1, 64, 1, rows_of(300), 300}}, .filters = 16},
      {.in = {{1, 3, 1, rows_of(1100), 1000}}, .filters = 8, .window = window_of(5, 2)},
      {.in = {{1, 16, 1, rows_of(550), 500}}, .filters = 16, .window = window_of(3, 2)},
      {.in = {{1, 4, 1, 1, 300'000}}, .filters = 4, .groups = 4},
      {.in = {{1, 4, 1, 600, 500}}, .filters = 4, .window = window_of(3), .groups = 4},
      {.in = {{1, 2, 65, 65, 65}}, .filters = 2, .window = window_of(3), .deep = true}};
  for_each_backend([&](const std::string& backend, Numbers kind) {
    if (backend == "reference" || kind == Numbers::ones || kind == Numbers::mixed) return;
    for (const Layer& layer : layers) {
      check_gradient<float>(backend, spec_of(layer), kind);
      if (prepared(backend).supports(Precision::bf16)) {
        check_gradient<BFloat16>(backend, spec_of(layer), kind);
      }
    }
  });
}

TEST_CASE("large sums: relative errors of gradients on random images") {
  std::vector<std::int64_t> lengths{64, 256, 512};
  if (!is_slow_build) lengths.push_back(2000);
  for (const std::int64_t length : lengths) {
    INFO("length ", length);
    KernelSpec spec =
        spec_of({.in = {{1, 1, 1, length, length}}, .filters = 2, .window = window_of(3)});
    Gradient<float> gradient(spec, Numbers::positive);
    gradient.dy = numbers<float>(Numbers::mixed, volume(spec.out), 3);
    const Values computed = gradient.run_on("onednn");
    double largest = 0.0;
    double error = 0.0;
    for (const std::int64_t index : {0, 4, 13, 17}) {
      const double exact = gradient.exact_weight(index).sum;
      largest = std::max(largest, std::abs(exact));
      error = std::max(error, std::abs(computed[index] - exact));
    }
    CHECK(error <= 1e-5 * largest);
    const double exact = gradient.exact_bias(1).sum;
    CHECK(std::abs(computed.back() - exact) <= 1e-6 * std::abs(exact));
  }
}

TEST_CASE("large sums: random windows over a few blocks of positions") {
  Random random(5);
  for (int i = 0; i < random_cases(60); ++i) {
    KernelSpec spec;
    const std::int64_t groups = random.integer(1, 3);
    spec.in = {{random.integer(1, 3), groups * random.integer(1, 9), 1, 1, 1}};
    spec.out = {{spec.in[Dim::n], groups * random.integer(1, 9), 1, 1, 1}};
    spec.groups = groups;
    spec.bias = random.coin();
    const bool is_deep = random.integer(0, 3) == 0;
    for (std::size_t dim = is_deep ? 0 : 1; dim < spec.window.dims.size(); ++dim) {
      WindowDim& window = spec.window.dims[dim];
      window = {.kernel = random.integer(1, 4), .stride = random.integer(1, 3)};
      window.dilation = random.integer(1, 2);
      window.padding_begin = random.integer(0, window.reach() - 1);
      window.padding_end = random.integer(0, window.reach() - 1);
      const std::int64_t longest = is_deep ? 30 : random.coin() ? 90 : 2000;
      const std::int64_t least = dim == 2 && !is_deep ? 1500 : window.reach();
      const std::int64_t length = random.integer(least, std::max(least, longest));
      spec.in[spatial_dims[dim]] =
          dim == 1 && !is_deep ? std::min<std::int64_t>(length, 20) : length;
      spec.out[spatial_dims[dim]] = output_length(spec.in[spatial_dims[dim]], window);
    }
    INFO(to_text(spec));
    Gradient<float> gradient(spec, Numbers::mixed);
    const Values computed = gradient.run_on("onednn");
    for (int tried = 0; tried < 4; ++tried) {
      const std::int64_t index = random.integer(0, weight_volume(spec) - 1);
      check(computed[index], gradient.exact_weight(index), Numbers::mixed);
    }
    if (spec.bias)
      check(computed.back(), gradient.exact_bias(spec.out[Dim::c] - 1), Numbers::mixed);
  }
}

TEST_CASE("large sums: a fully connected layer over an image") {
  for_each_backend([](const std::string& backend, Numbers kind) {
    KernelSpec spec;
    spec.in = {{1, 1, 1, rows_of(1000), 500}};
    spec.out = {{1, 3, 1, 1, 1}};
    spec.window.dims[1].kernel = spec.in[Dim::h];
    spec.window.dims[2].kernel = 500;
    auto x = numbers<float>(kind, volume(spec.in));
    const auto plain = numbers<float>(kind, weight_volume(spec), 2);
    Backend& used = prepared(backend);
    std::vector<float> weight(used.weight_elements(spec));
    import_weight(used, spec, Values(plain.begin(), plain.end()), weight.data());
    std::vector<float> y(3);
    run(backend, spec, {view(x, spec.in), flat_view(weight), view(y, spec.out)});
    Exact exact;
    for (std::size_t i = 0; i < x.size(); ++i) {
      exact.add(static_cast<double>(x[i]) * plain[2 * x.size() + i]);
    }
    check(y[2], exact, kind);
  });
}

TEST_CASE("large sums: gradients over many filters") {
  for_each_backend([](const std::string& backend, Numbers kind) {
    KernelSpec spec;
    spec.phase = KernelPhase::backward_data;
    spec.in = {{1, 2, 1, 1, 1}};
    spec.out = {{1, 200'000, 1, 1, 1}};
    auto dy = numbers<float>(kind, volume(spec.out));
    const auto plain = numbers<float>(kind, weight_volume(spec), 2);
    Backend& used = prepared(backend);
    std::vector<float> weight(used.weight_elements(spec));
    import_weight(used, spec, Values(plain.begin(), plain.end()), weight.data());
    std::vector<float> dx(2);
    run(backend, spec, {view(dy, spec.out), flat_view(weight), view(dx, spec.in)});
    Exact exact;
    for (std::size_t f = 0; f < dy.size(); ++f) {
      exact.add(static_cast<double>(dy[f]) * plain[2 * f + 1]);
    }
    check(dx[1], exact, kind);
  });
}

}  // namespace cnnplan::test
