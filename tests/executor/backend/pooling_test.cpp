// Compares pooling of every backend with plain loops in double.
#include <algorithm>
#include <cmath>
#include <limits>

#include <doctest/doctest.h>

#include "tests/executor/backend/harness.hpp"

namespace cnnplan::test {
namespace {

struct Results {
  Values y, dx;
};

Results run_both(const Candidate& candidate, KernelSpec spec, const Values& x, const Values& dy) {
  const Element element = element_of(candidate.precision);
  const bool is_max = spec.pooling == PoolingMode::max;
  Block in = Block::dense(element, spec.in).fill(x);
  Block out = Block::dense(element, spec.out);
  Block index = Block::dense(Element::int32, spec.out);
  spec.phase = KernelPhase::forward;
  std::vector<Block*> operands{&in, &out};
  if (is_max) operands.push_back(&index);
  run(candidate, spec, {}, {}, operands);
  Block gradient = Block::dense(element, spec.out).fill(dy);
  Block dx = Block::dense(element, spec.in);
  spec.phase = KernelPhase::backward_data;
  operands = {&gradient, &dx};
  if (is_max) operands.insert(operands.begin(), &index);
  run(candidate, spec, {}, {}, operands);
  return {out.values(), dx.values()};
}

void check_against_oracle(const KernelSpec& spec, const Values& x, const Values& dy) {
  const Results expected = run_both(oracle(), spec, x, dy);
  for (const Candidate& candidate : candidates()) {
    INFO(candidate.backend, ": ", to_text(spec));
    const Results actual = run_both(candidate, spec, x, dy);
    CHECK(difference(actual.y, expected.y) < tolerance_of(candidate));
    CHECK(difference(actual.dx, expected.dx) < tolerance_of(candidate));
  }
}

// Taps are no further apart than the input is long, so every window holds an input.
KernelSpec random_spec(Random& random, bool deep) {
  KernelSpec spec;
  spec.kind = KernelKind::pooling;
  spec.pooling = random.coin() ? PoolingMode::max : PoolingMode::average;
  spec.count_include_padding = spec.pooling == PoolingMode::average && random.coin();
  const std::int64_t channels = random.coin() ? random.integer(1, 40) : 16 * random.integer(1, 3);
  spec.in = spec.out = {{random.integer(1, 3), channels, 1, 1, 1}};
  for (std::size_t i = deep ? 0 : 1; i < 3; ++i) {
    WindowDim& dim = spec.window.dims[i];
    dim.kernel = random.integer(1, 4);
    dim.stride = random.integer(1, 3);
    dim.dilation = random.integer(1, 3);
    dim.padding_begin = random.integer(0, dim.reach() / 2);
    dim.padding_end = random.integer(0, dim.reach() / 2);
    const std::int64_t least = dim.reach() - dim.padding_begin - dim.padding_end;
    spec.in[spatial_dims[i]] = std::max(dim.dilation, least) + random.integer(0, 8);
    spec.out[spatial_dims[i]] = output_length(spec.in[spatial_dims[i]], dim);
  }
  spec.kind = KernelKind::pooling;
  return spec;
}

}  // namespace

TEST_CASE("pooling: random windows in two and three dims") {
  Random random(1);
  for (int i = 0; i < random_cases(160); ++i) {
    const KernelSpec spec = random_spec(random, i % 3 == 0);
    check_against_oracle(spec, random.values(volume(spec.in)), random.values(volume(spec.out)));
  }
}

TEST_CASE("pooling: of equal maxima the first gets the gradient") {
  Random random(2);
  for (int i = 0; i < random_cases(80); ++i) {
    KernelSpec spec = random_spec(random, i % 3 == 0);
    spec.pooling = PoolingMode::max;
    spec.count_include_padding = false;
    check_against_oracle(spec, random.ties(volume(spec.in)), random.values(volume(spec.out)));
  }
}

TEST_CASE("pooling: a window with not-a-number or minus infinity has not-a-number as its result") {
  Random random(5);
  for (int i = 0; i < random_cases(80); ++i) {
    const KernelSpec spec = random_spec(random, i % 3 == 0);
    Values x = random.values(volume(spec.in));
    x[x.size() / 2] = i % 2 == 0 ? std::numeric_limits<double>::quiet_NaN()
                                 : -std::numeric_limits<double>::infinity();
    const Values dy = random.values(volume(spec.out));
    const Values expected = run_both(oracle(), spec, x, dy).y;
    for (const Candidate& candidate : candidates()) {
      INFO(candidate.backend, ": ", to_text(spec));
      const Values y = run_both(candidate, spec, x, dy).y;
      for (std::size_t j = 0; j < y.size(); ++j) {
        CHECK(std::isnan(y[j]) == std::isnan(expected[j]));
      }
    }
  }
}

TEST_CASE("pooling: minus infinity in the only window gives not-a-number") {
  KernelSpec spec;
  spec.kind = KernelKind::pooling;
  spec.pooling = PoolingMode::max;
  spec.in = {{1, 16, 1, 3, 3}};
  spec.out = {{1, 16, 1, 1, 1}};
  for (const std::int64_t dilation : {1, 2}) {
    spec.window.dims[1].kernel = spec.window.dims[2].kernel = dilation == 1 ? 3 : 2;
    spec.window.dims[1].dilation = spec.window.dims[2].dilation = dilation;
    Values x(volume(spec.in), 1.0);
    x[0] = -std::numeric_limits<double>::infinity();
    for (const Candidate& candidate : candidates()) {
      INFO(candidate.backend, ": ", to_text(spec));
      const Values y = run_both(candidate, spec, x, Values(volume(spec.out))).y;
      CHECK(std::count_if(y.begin(), y.end(), [](double v) { return std::isnan(v); }) == 1);
    }
  }
}

TEST_CASE("pooling: the window of a global pooling covers the block") {
  Random random(3);
  for (PoolingMode mode : {PoolingMode::max, PoolingMode::average}) {
    for (std::int64_t length : {1, 7, 19}) {
      KernelSpec spec;
      spec.kind = KernelKind::pooling;
      spec.pooling = mode;
      spec.in = {{2, 24, 1, length, length}};
      spec.out = {{2, 24, 1, 1, 1}};
      spec.window.dims[1].kernel = spec.window.dims[2].kernel = length;
      check_against_oracle(spec, random.values(volume(spec.in)), random.values(volume(spec.out)));
    }
  }
}

TEST_CASE("pooling: windows of about as many taps as eight bits can count") {
  Random random(4);
  for (PoolingMode mode : {PoolingMode::max, PoolingMode::average}) {
    for (std::int64_t height : {15, 16}) {
      for (std::int64_t width : {16, 17, 18}) {
        KernelSpec spec;
        spec.kind = KernelKind::pooling;
        spec.pooling = mode;
        spec.in = {{2, 20, 1, height + 1, width}};
        spec.out = {{2, 20, 1, 2, 1}};
        spec.window.dims[1].kernel = height;
        spec.window.dims[2].kernel = width;
        check_against_oracle(spec, random.values(volume(spec.in)), random.values(volume(spec.out)));
      }
    }
  }
}

TEST_CASE("pooling: empty blocks") {
  KernelSpec spec;
  spec.kind = KernelKind::pooling;
  spec.in = {{2, 8, 1, 0, 5}};
  spec.out = {{2, 8, 1, 0, 4}};
  spec.window.dims[1].kernel = spec.window.dims[2].kernel = 2;
  for (PoolingMode mode : {PoolingMode::max, PoolingMode::average}) {
    spec.pooling = mode;
    check_against_oracle(spec, {}, {});
  }
}

}  // namespace cnnplan::test
