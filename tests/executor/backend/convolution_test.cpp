// Compares convolutions of every backend with plain loops in double, over random windows and
// blocks.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <utility>

#include <doctest/doctest.h>

#include "planner/base/error.hpp"
#include "planner/tensor/enumerators.hpp"
#include "tests/executor/backend/harness.hpp"
#include "tests/slow_build.hpp"

namespace cnnplan::test {
namespace {

// Holds a convolution and its operands as plain numbers.
struct Problem {
  KernelSpec spec;
  Values x, weight, bias, dy;
};

struct Results {
  Values y, dx, dweight, dbias;
};

std::int64_t plain_weights(const KernelSpec& spec) {
  std::int64_t elements = spec.out[Dim::c] * (spec.in[Dim::c] / spec.groups);
  for (const WindowDim& dim : spec.window.dims) elements *= dim.kernel;
  return elements;
}

Problem fill(const KernelSpec& spec, Random& random) {
  return {.spec = spec,
          .x = random.values(volume(spec.in)),
          .weight = random.values(plain_weights(spec)),
          .bias = random.values(spec.out[Dim::c]),
          .dy = random.values(volume(spec.out))};
}

Values forward(const Candidate& candidate, const Problem& problem) {
  const Element element = element_of(candidate.precision);
  KernelSpec spec = problem.spec;
  spec.phase = KernelPhase::forward;
  Block x = Block::dense(element, spec.in).fill(problem.x);
  Block y = Block::dense(element, spec.out);
  Block bias = flat(parameter_of(candidate.precision), spec.out[Dim::c]).fill(problem.bias);
  Block weight = StoredWeight(candidate, spec).import_plain(problem.weight).copy();
  std::vector<Block*> operands{&x, &weight};
  if (spec.bias) operands.push_back(&bias);
  operands.push_back(&y);
  run(candidate, spec, {}, {}, operands);
  return y.values();
}

Values backward_data(const Candidate& candidate, const Problem& problem) {
  const Element element = element_of(candidate.precision);
  KernelSpec spec = problem.spec;
  spec.phase = KernelPhase::backward_data;
  spec.bias = spec.relu = false;
  Block dy = Block::dense(element, spec.out).fill(problem.dy);
  Block dx = Block::dense(element, spec.in);
  Block weight = StoredWeight(candidate, spec).import_plain(problem.weight).copy();
  run(candidate, spec, {}, {}, {&dy, &weight, &dx});
  return dx.values();
}

void backward_filter(const Candidate& candidate, const Problem& problem, Results& results) {
  const Element element = element_of(candidate.precision);
  KernelSpec spec = problem.spec;
  spec.phase = KernelPhase::backward_filter;
  spec.relu = false;
  Block x = Block::dense(element, spec.in).fill(problem.x);
  Block dy = Block::dense(element, spec.out).fill(problem.dy);
  Block dbias = flat(parameter_of(candidate.precision), spec.out[Dim::c]);
  StoredWeight dweight(candidate, spec);
  std::vector<Block*> operands{&x, &dy, &dweight.block()};
  if (spec.bias) operands.push_back(&dbias);
  run(candidate, spec, {}, {}, operands);
  results.dweight = dweight.export_plain();
  if (spec.bias) results.dbias = dbias.values();
}

Results run_all(const Candidate& candidate, const Problem& problem) {
  Results results;
  results.y = forward(candidate, problem);
  results.dx = backward_data(candidate, problem);
  backward_filter(candidate, problem, results);
  return results;
}

void check_all(const Results& actual, const Results& expected, double tolerance) {
  CHECK(difference(actual.y, expected.y) < tolerance);
  CHECK(difference(actual.dx, expected.dx) < tolerance);
  CHECK(difference(actual.dweight, expected.dweight) < tolerance);
  CHECK(difference(actual.dbias, expected.dbias) < tolerance);
}

Problem fill_with_floats(const KernelSpec& spec, Random& random) {
  return {.spec = spec,
          .x = random.floats(volume(spec.in)),
          .weight = random.floats(plain_weights(spec)),
          .bias = random.floats(spec.out[Dim::c]),
          .dy = random.floats(volume(spec.out))};
}

void check_against_oracle(const KernelSpec& spec, Random& random) {
  const Problem problem = fill(spec, random);
  const Results expected = run_all(oracle(), problem);
  for (const Candidate& candidate : candidates()) {
    INFO(candidate.backend, ": ", to_text(candidate.precision), ": ", to_text(spec));
    check_all(run_all(candidate, problem), expected, tolerance_of(candidate));
  }
}

struct Sizes {
  std::int64_t batch = 1;
  std::int64_t channels = 1;
  std::int64_t filters = 1;
  std::int64_t groups = 1;
};

KernelSpec spec_of(const Sizes& sizes,
                   const std::array<std::int64_t, 3>& input,
                   const Window& window) {
  KernelSpec spec;
  spec.groups = sizes.groups;
  spec.window = window;
  spec.in = {{sizes.batch, sizes.channels, input[0], input[1], input[2]}};
  spec.out = {{sizes.batch, sizes.filters, 1, 1, 1}};
  for (std::size_t i = 0; i < 3; ++i) {
    spec.out[spatial_dims[i]] = output_length(input[i], window.dims[i]);
  }
  return spec;
}

WindowDim random_dim(Random& random, std::int64_t largest_kernel) {
  WindowDim dim;
  dim.kernel = random.integer(1, largest_kernel);
  dim.stride = random.integer(1, 3);
  dim.dilation = dim.kernel > 1 ? random.integer(1, 2) : 1;
  dim.padding_begin = random.integer(0, dim.reach() - 1);
  dim.padding_end = random.integer(0, dim.reach() - 1);
  return dim;
}

// The length is enough for at least one output.
std::int64_t random_length(Random& random, const WindowDim& dim) {
  const std::int64_t least = dim.reach() - dim.padding_begin - dim.padding_end;
  return std::max<std::int64_t>(1, least) + random.integer(0, 8);
}

Sizes random_sizes(Random& random) {
  constexpr std::array<std::int64_t, 8> counts{1, 2, 3, 5, 8, 16, 20, 32};
  const auto count = [&] { return counts[static_cast<std::size_t>(random.integer(0, 7))]; };
  Sizes sizes{.batch = random.integer(1, 3), .channels = count(), .filters = count()};
  if (random.integer(0, 3) == 0) {
    sizes.groups = random.integer(2, 4);
    sizes.channels *= sizes.groups;
    sizes.filters *= sizes.groups;
  }
  return sizes;
}

KernelSpec random_spec(Random& random, bool deep) {
  Window window;
  std::array<std::int64_t, 3> input{1, 1, 1};
  for (std::size_t i = deep ? 0 : 1; i < 3; ++i) {
    window.dims[i] = random_dim(random, deep ? 3 : 5);
    input[i] = random_length(random, window.dims[i]);
  }
  KernelSpec spec = spec_of(random_sizes(random), input, window);
  spec.bias = random.coin();
  spec.relu = random.coin();
  return spec;
}

}  // namespace

TEST_CASE("convolution: random windows, groups and dilations in two dims") {
  Random random(1);
  for (int i = 0; i < random_cases(80); ++i)
    check_against_oracle(random_spec(random, false), random);
}

TEST_CASE("convolution: random windows, groups and dilations in three dims") {
  Random random(2);
  for (int i = 0; i < random_cases(40); ++i)
    check_against_oracle(random_spec(random, true), random);
}

TEST_CASE("convolution: fp32 keeps all digits of its operands, tf32 as many as it has") {
  Random random(13);
  for (int i = 0; i < random_cases(30); ++i) {
    const KernelSpec spec = random_spec(random, i % 3 == 0);
    const Problem problem = fill_with_floats(spec, random);
    const Results expected = run_all(oracle(), problem);
    for (const Candidate& candidate : candidates()) {
      if (element_of(candidate.precision) != Element::fp32) continue;
      INFO(candidate.backend, ": ", to_text(candidate.precision), ": ", to_text(spec));
      check_all(run_all(candidate, problem), expected, tolerance_of(candidate));
    }
  }
}

TEST_CASE("convolution: depthwise") {
  Random random(3);
  Window window;
  window.dims[1] = window.dims[2] = {.kernel = 3, .stride = 2, .padding_begin = 1};
  for (std::int64_t channels : {3, 16, 40}) {
    const Sizes sizes{.batch = 2, .channels = channels, .filters = channels, .groups = channels};
    check_against_oracle(spec_of(sizes, {1, 9, 7}, window), random);
  }
}

// A library may prefer another order of the activations here.
TEST_CASE("convolution: windows over many channels") {
  Random random(17);
  for (std::int64_t stride : {1, 2}) {
    for (const auto& [channels, filters] :
         {std::pair<std::int64_t, std::int64_t>{32, 48}, {40, 33}, {96, 64}}) {
      if (is_slow_build && channels > 40) continue;
      Window window;
      window.dims[1] = {.kernel = 3, .stride = stride, .padding_begin = 1, .padding_end = 1};
      window.dims[2] = {.kernel = 3, .stride = stride, .padding_begin = 2, .dilation = 2};
      KernelSpec spec =
          spec_of({.batch = 2, .channels = channels, .filters = filters}, {1, 9, 14}, window);
      spec.bias = random.coin();
      spec.relu = random.coin();
      check_against_oracle(spec, random);
    }
  }
}

// A backend may have kernels of its own for these windows.
TEST_CASE("convolution: windows over whole panels of channels") {
  Random random(19);
  for (int i = 0; i < random_cases(6); ++i) {
    const bool deep = i == 0;
    Window window;
    std::array<std::int64_t, 3> input{1, 1, 1};
    for (std::size_t dim = deep ? 0 : 1; dim < 3; ++dim) {
      window.dims[dim] = random_dim(random, 3);
      input[dim] = random_length(random, window.dims[dim]);
    }
    KernelSpec spec = spec_of({.batch = 2, .channels = 32, .filters = 48}, input, window);
    spec.bias = random.coin();
    spec.relu = random.coin();
    check_against_oracle(spec, random);
  }
}

// It needs CNNPLAN_EXPECT_AVX2, because a test cannot know which instructions the processor has.
TEST_CASE("convolution: windows over many channels run on panels or blocks with AVX2") {
  if (std::getenv("CNNPLAN_EXPECT_AVX2") == nullptr) {
    MESSAGE("skipped");
    return;
  }
  const auto backend = make_backend("onednn");
  CHECK(backend->fingerprint().library.ends_with(" with AVX2"));
  const auto kernel_of = [&](KernelPhase phase,
                             const Sizes& sizes,
                             std::int64_t kernel,
                             std::int64_t stride) {
    Window window;
    window.dims[1] = window.dims[2] = {
        .kernel = kernel, .stride = stride, .padding_begin = kernel / 2, .padding_end = kernel / 2};
    KernelSpec spec = spec_of(sizes, {1, 20, 20}, window);
    spec.phase = phase;
    return backend->make_kernel(spec, {}, "");
  };
  const auto name_of = [&](KernelPhase phase,
                           std::int64_t channels,
                           std::int64_t filters,
                           std::int64_t kernel,
                           std::int64_t stride) {
    return kernel_of(phase, {.batch = 2, .channels = channels, .filters = filters}, kernel, stride)
        ->implementation();
  };
  const std::string panels = "packed panels";
  CHECK(name_of(KernelPhase::forward, 32, 64, 3, 1) == panels);
  CHECK(name_of(KernelPhase::forward, 32, 64, 3, 2) == panels);
  CHECK(name_of(KernelPhase::forward, 16, 64, 3, 1) != panels);
  CHECK(name_of(KernelPhase::forward, 32, 64, 5, 1) != panels);
  CHECK(name_of(KernelPhase::forward, 128, 256, 1, 1) == "jit_1x1:avx2");
  CHECK(name_of(KernelPhase::backward_data, 128, 256, 1, 1) == "x64:gemm:jit");
  CHECK(name_of(KernelPhase::backward_data, 256, 256, 3, 2) == panels);
  CHECK(name_of(KernelPhase::backward_data, 256, 256, 3, 1) != panels);
  CHECK(name_of(KernelPhase::backward_data, 256, 128, 3, 2) != panels);
  CHECK(name_of(KernelPhase::backward_filter, 32, 64, 3, 1) == panels);
  const auto name_of_cube = [&](KernelPhase phase) {
    Window window;
    for (WindowDim& dim : window.dims) dim = {.kernel = 3, .padding_begin = 1, .padding_end = 1};
    KernelSpec spec = spec_of({.batch = 1, .channels = 32, .filters = 32}, {6, 6, 6}, window);
    spec.phase = phase;
    return backend->make_kernel(spec, {}, "")->implementation();
  };
  CHECK(name_of_cube(KernelPhase::forward) != panels);
  CHECK(name_of_cube(KernelPhase::backward_filter) == panels);
  CHECK(name_of(KernelPhase::backward_filter, 32, 64, 5, 1) == panels);
  CHECK(name_of(KernelPhase::backward_filter, 40, 64, 3, 1) != panels);
  CHECK(name_of(KernelPhase::backward_filter, 1024, 64, 1, 1) == panels);
  CHECK(name_of(KernelPhase::backward_filter, 128, 256, 1, 1) == panels);
  CHECK(name_of(KernelPhase::backward_filter, 64, 256, 1, 1) != panels);
  CHECK(name_of(KernelPhase::backward_filter, 1000, 64, 1, 1) != panels);
  // These products have so many positions that weights are reordered for them.
  const Sizes many{.batch = 3, .channels = 128, .filters = 256};
  CHECK(kernel_of(KernelPhase::backward_data, many, 1, 1)->implementation() == "jit_1x1:avx2");
  const Sizes no_panels{.batch = 2, .channels = 40, .filters = 64};
  const std::int64_t activations = std::int64_t{40 + 64} * 2 * 20 * 20 * 4;
  for (const KernelPhase phase : {KernelPhase::forward, KernelPhase::backward_data}) {
    CHECK(kernel_of(phase, no_panels, 3, 1)->workspace_bytes() >= activations);
  }
}

TEST_CASE("convolution: pointwise, rows whose elements collide in a cache") {
  Random random(18);
  for (const auto& [channels, filters] :
       {std::pair<std::int64_t, std::int64_t>{512, 16}, {16, 512}}) {
    KernelSpec spec =
        spec_of({.batch = 1, .channels = channels, .filters = filters}, {1, 10, 11}, Window{});
    spec.bias = random.coin();
    check_against_oracle(spec, random);
  }
}

TEST_CASE("convolution: pointwise with and without stride, few and many positions") {
  Random random(4);
  for (std::int64_t stride : {1, 2, 3}) {
    for (std::int64_t length : {1, 2, 7, 23}) {
      Window window;
      window.dims[1].stride = window.dims[2].stride = stride;
      KernelSpec spec =
          spec_of({.batch = 2, .channels = 24, .filters = 17}, {1, length, length}, window);
      spec.bias = random.coin();
      spec.relu = random.coin();
      check_against_oracle(spec, random);
    }
  }
}

TEST_CASE("convolution: pointwise, few and odd numbers of channels and filters") {
  Random random(16);
  for (std::int64_t positions : {30, 60, 89, 150}) {
    for (std::int64_t filters : {1, 2, 5, 39}) {
      for (std::int64_t channels : {1, 3, 8, 31}) {
        check_against_oracle(
            spec_of({.batch = 1, .channels = channels, .filters = filters}, {1, 1, positions}, {}),
            random);
      }
    }
  }
}

TEST_CASE("convolution: strides wider than the block") {
  Random random(17);
  for (std::int64_t length : {1, 2, 3}) {
    for (std::int64_t kernel : {1, 2, 3}) {
      for (std::int64_t stride : {2, 3, 4}) {
        for (std::int64_t padding = kernel > length ? 1 : 0; padding < kernel; ++padding) {
          Window window;
          window.dims[1] = window.dims[2] = {
              .kernel = kernel, .stride = stride, .padding_begin = padding, .padding_end = 1};
          check_against_oracle(
              spec_of({.batch = 2, .channels = 16, .filters = 20}, {1, length, length}, window),
              random);
        }
      }
    }
  }
}

TEST_CASE("convolution: blocks of three dims that lie inside one or two windows") {
  Random random(18);
  for (std::int64_t depth : {1, 2, 3, 5}) {
    for (std::int64_t height : {1, 2, 4}) {
      for (std::int64_t stride : {1, 2, 3}) {
        Window window;
        window.dims[0] = {.kernel = 3, .stride = stride, .padding_begin = 1, .padding_end = 1};
        window.dims[1] = {.kernel = 3, .padding_begin = 1, .padding_end = 1};
        window.dims[2] = {.kernel = 2, .padding_begin = 1};
        check_against_oracle(
            spec_of({.batch = 2, .channels = 8, .filters = 20}, {depth, height, 4}, window),
            random);
      }
    }
  }
}

TEST_CASE("convolution: fully connected, for every number of samples up to beyond the thin ones") {
  Random random(5);
  for (std::int64_t kernel : {1, 2, 5}) {
    for (std::int64_t batch = 1; batch <= 18; ++batch) {
      Window window;
      window.dims[1].kernel = window.dims[2].kernel = kernel;
      KernelSpec spec =
          spec_of({.batch = batch, .channels = 7, .filters = 37}, {1, kernel, kernel}, window);
      spec.bias = true;
      spec.relu = batch % 2 == 0;
      check_against_oracle(spec, random);
    }
  }
}

TEST_CASE("convolution: enough positions for a forward kernel with its own weights") {
  Random random(6);
  Window window;
  window.dims[1] = window.dims[2] = {.kernel = 3, .padding_begin = 1, .padding_end = 1};
  for (std::int64_t filters : {16, 40}) {
    check_against_oracle(
        spec_of({.batch = 1, .channels = 16, .filters = filters}, {1, 20, 21}, window), random);
  }
}

TEST_CASE("convolution: a block that leaves inputs unused behind its last window") {
  Random random(7);
  Window window;
  window.dims[1] = {.kernel = 1, .stride = 3};
  window.dims[2] = {.kernel = 2, .stride = 4};
  check_against_oracle(spec_of({.batch = 2, .channels = 16, .filters = 16}, {1, 9, 12}, window),
                       random);
}

// The first windows of a block of a transposed convolution's outputs may lie in the padding.
TEST_CASE("convolution: from any block of outputs of a transposed convolution to its inputs") {
  Random random(15);
  for (int i = 0; i < random_cases(80); ++i) {
    Window window;
    std::array<std::int64_t, 3> outputs{1, 1, 1};
    for (std::size_t dim = i % 3 == 0 ? 0 : 1; dim < 3; ++dim) {
      WindowDim& own = window.dims[dim];
      own = {.kernel = random.integer(1, 3), .stride = random.integer(1, 4)};
      own.padding_begin = random.integer(0, own.reach() - 1);
      const std::int64_t inputs = random.integer(3, 6);
      const std::int64_t length = transposed_length(inputs, own, random.integer(0, own.stride - 1));
      const std::int64_t begin = random.integer(0, length - 1);
      const Range range{begin, random.integer(begin + 1, length)};
      const WindowBlock block = transposed_block(range, inputs, own);
      own.padding_begin = block.padding_begin;
      own.padding_end = block.padding_end;
      outputs[dim] = range.size();
    }
    check_against_oracle(spec_of(random_sizes(random), outputs, window), random);
  }
}

TEST_CASE("convolution: empty blocks do nothing forward and give zero gradients") {
  Random random(8);
  Window window;
  window.dims[1] = window.dims[2] = {.kernel = 3, .padding_begin = 1, .padding_end = 1};
  for (Dim dim : {Dim::n, Dim::h, Dim::w}) {
    for (std::int64_t channels : {4, 16}) {
      KernelSpec spec =
          spec_of({.batch = 2, .channels = channels, .filters = 16}, {1, 5, 6}, window);
      spec.bias = true;
      spec.in[dim] = 0;
      spec.out[dim] = 0;
      check_against_oracle(spec, random);
      const Results results = run_all(oracle(), fill(spec, random));
      CHECK(difference(results.dweight, Values(results.dweight.size(), 0.0)) == 0.0);
    }
  }
}

TEST_CASE("convolution: a block whose windows lie in the padding gives the bias, clipped by ReLU") {
  Random random(9);
  Window window;
  window.dims[1] = {.kernel = 3, .padding_begin = 2, .padding_end = 2};
  KernelSpec spec = spec_of({.batch = 2, .channels = 4, .filters = 5}, {1, 3, 4}, window);
  spec.bias = true;
  spec.in[Dim::h] = 0;
  spec.out[Dim::h] = 1;
  check_against_oracle(spec, random);
  spec.relu = true;
  check_against_oracle(spec, random);
}

TEST_CASE("convolution: a fused ReLU passes what is positive and nothing else") {
  Random random(14);
  for (int i = 0; i < random_cases(10); ++i) {
    Problem problem = fill(random_spec(random, i % 2 == 0), random);
    problem.spec.relu = false;
    Values expected = forward(oracle(), problem);
    CHECK(*std::min_element(expected.begin(), expected.end()) < 0.0);
    for (double& value : expected) value = std::max(value, 0.0);
    problem.spec.relu = true;
    CHECK(forward(oracle(), problem) == expected);
  }
}

TEST_CASE("convolution: what is no number stays so under a fused ReLU") {
  Random random(15);
  for (int i = 0; i < random_cases(40); ++i) {
    Problem problem = fill(random_spec(random, i % 2 == 0), random);
    problem.spec.relu = true;
    problem.x.at(problem.x.size() / 2) = std::numeric_limits<double>::quiet_NaN();
    const Values expected = forward(oracle(), problem);
    for (const Candidate& candidate : candidates()) {
      INFO(candidate.backend, ": ", to_text(candidate.precision), ": ", to_text(problem.spec));
      const Values y = forward(candidate, problem);
      for (std::size_t j = 0; j < y.size(); ++j) {
        if (std::isnan(expected[j])) CHECK(std::isnan(y[j]));
      }
    }
  }
}

TEST_CASE("convolution: weights come back from every format as they went in") {
  Random random(10);
  for (int i = 0; i < random_cases(60); ++i) {
    KernelSpec spec = random_spec(random, i % 2 == 0);
    const Values plain = random.values(plain_weights(spec));
    for (const Candidate& candidate : candidates()) {
      INFO(candidate.backend, ": ", to_text(spec));
      CHECK(StoredWeight(candidate, spec).import_plain(plain).export_plain() == plain);
    }
  }
}

TEST_CASE("convolution: the format of weights does not depend on the block") {
  Random random(11);
  for (int i = 0; i < random_cases(60); ++i) {
    const KernelSpec spec = random_spec(random, i % 2 == 0);
    KernelSpec other = spec;
    for (Dim dim : {Dim::n, Dim::d, Dim::h, Dim::w}) other.in[dim] += random.integer(0, 5);
    const Values plain = random.values(plain_weights(spec));
    for (const Candidate& candidate : candidates()) {
      INFO(candidate.backend, ": ", to_text(spec), " and ", to_text(other));
      const Values stored = StoredWeight(candidate, spec).import_plain(plain).block().values();
      CHECK(stored == StoredWeight(candidate, other).import_plain(plain).block().values());
    }
  }
}

TEST_CASE("convolution: winograd equals direct, or is refused") {
  Random random(12);
  Window window;
  window.dims[1] = window.dims[2] = {.kernel = 3, .padding_begin = 1, .padding_end = 1};
  KernelSpec spec = spec_of({.batch = 1, .channels = 32, .filters = 32}, {1, 20, 20}, window);
  spec.bias = spec.relu = true;
  const Problem direct = fill(spec, random);
  Problem winograd = direct;
  winograd.spec.algorithm = KernelAlgorithm::winograd;
  for (const Candidate& candidate : candidates()) {
    INFO(candidate.backend);
    try {
      const Results actual = run_all(candidate, winograd);
      const Results expected = run_all(oracle(), direct);
      CHECK(difference(actual.y, expected.y) < 1e-4);
      CHECK(difference(actual.dx, expected.dx) < 1e-4);
      CHECK(difference(actual.dweight, expected.dweight) < 1e-4);
    } catch (const BackendError& error) {
      CHECK(std::string(error.what()).find("convolution/forward") != std::string::npos);
    }
  }
}

TEST_CASE("convolution: a pointwise winograd is refused") {
  KernelSpec spec = spec_of({.batch = 1, .channels = 16, .filters = 16}, {1, 9, 9}, Window{});
  spec.algorithm = KernelAlgorithm::winograd;
  for (const Candidate& candidate : candidates()) {
    CHECK_THROWS_AS(prepared(candidate.backend).make_kernel(spec, {}, {}), BackendError);
  }
}

}  // namespace cnnplan::test
