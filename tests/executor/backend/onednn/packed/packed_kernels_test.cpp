// Compares convolutions over packed panels with plain loops in double, also where the backend would
// choose another kernel.
#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "executor/backend/onednn/convolution/convolution.hpp"
#include "tests/executor/backend/harness.hpp"
#include "tests/slow_build.hpp"

namespace cnnplan::onednn {
namespace {

using test::Block;
using test::Element;
using test::Random;
using test::Values;

WindowDim random_dim(Random& random, std::int64_t longest) {
  WindowDim dim{.kernel = random.integer(1, longest), .stride = random.integer(1, 4)};
  if (dim.kernel > 1) dim.dilation = random.integer(1, 3);
  dim.padding_begin = random.integer(0, dim.reach() - 1);
  dim.padding_end = random.integer(0, dim.reach() - 1);
  return dim;
}

// Draws short windows, whose weights are stored in blocks, or longer ones.
KernelSpec random_spec(Random& random, std::int64_t longest) {
  const auto panels = [&] { return 16 * random.integer(1, 3); };
  KernelSpec spec;
  spec.in = {{random.integer(1, 3), panels(), 1, 1, 1}};
  spec.out = {{spec.in[Dim::n], panels(), 1, 1, 1}};
  const bool deep = random.integer(0, 2) == 0;
  for (std::size_t i = deep ? 0 : 1; i < 3; ++i) {
    WindowDim& dim = spec.window.dims[i];
    dim = random_dim(random, deep ? 3 : longest);
    const std::int64_t least = dim.reach() - dim.padding_begin - dim.padding_end;
    std::int64_t length = std::max<std::int64_t>(1, least) + random.integer(0, deep ? 5 : 17);
    if (i == 2 && random.integer(0, 4) == 0) length += 70 * dim.stride;  // several pieces wide
    spec.in[spatial_dims[i]] = length;
    spec.out[spatial_dims[i]] = output_length(length, dim);
  }
  return spec;
}

// Holds the operands that a phase reads, as plain numbers.
struct Problem {
  Values x, weight, bias, y;
};

// Returns the numbers that the phase writes: outputs or a gradient.
template <typename Run>
Values results(KernelSpec spec, const Problem& problem, const test::Candidate& candidate, Run run) {
  spec.precision = candidate.precision;
  const Element element = test::element_of(candidate.precision);
  Block x = Block::dense(element, spec.in).fill(problem.x);
  Block y = Block::dense(element, spec.out).fill(problem.y);
  Block bias = test::flat(element, spec.out[Dim::c]).fill(problem.bias);
  test::StoredWeight weight(candidate, spec);
  weight.import_plain(problem.weight);
  std::vector<Block*> operands{&x, &weight.block(), &y};
  if (spec.phase == KernelPhase::backward_data) operands = {&y, &weight.block(), &x};
  if (spec.phase == KernelPhase::backward_filter) operands = {&x, &y, &weight.block()};
  const bool is_forward = spec.phase == KernelPhase::forward;
  if (spec.bias) operands.insert(operands.end() - 1, &bias);
  run(operands);
  if (is_forward) return y.values();
  if (spec.phase == KernelPhase::backward_data) return x.values();
  return weight.export_plain();
}

void check_packed(const KernelSpec& spec, Random& random) {
  INFO(to_text(spec));
  const Problem problem{.x = random.values(volume(spec.in)),
                        .weight = random.values(weight_volume(spec)),
                        .bias = random.values(spec.out[Dim::c]),
                        .y = random.values(volume(spec.out))};
  const auto run_packed = [&](const std::vector<Block*>& operands) {
    std::vector<TensorView> views;
    for (Block* operand : operands) views.push_back(operand->view());
    make_packed_kernel(spec)->run(views, {});
  };
  const auto run_oracle = [&](const std::vector<Block*>& operands) {
    test::run(test::oracle(), spec, {}, {}, operands);
  };
  const Values packed = results(spec, problem, {.backend = "onednn"}, run_packed);
  const Values expected = results(spec, problem, test::oracle(), run_oracle);
  CHECK(test::difference(packed, expected) < test::tolerance_of(Precision::fp32));
}

void check_random(KernelPhase phase, std::int64_t longest, std::uint64_t seed) {
  Random random(seed);
  for (int found = 0; found < (test::is_slow_build ? 15 : 60);) {
    KernelSpec spec = random_spec(random, longest);
    spec.phase = phase;
    spec.bias = phase == KernelPhase::forward && random.coin();
    spec.relu = phase == KernelPhase::forward && random.coin();
    if (!has_packed_kernel(spec)) continue;
    check_packed(spec, random);
    ++found;
  }
}

}  // namespace

TEST_CASE("packed kernels: forward, random windows") {
  check_random(KernelPhase::forward, 3, 1);
}

TEST_CASE("packed kernels: gradients of inputs, random windows") {
  check_random(KernelPhase::backward_data, 3, 2);
}

TEST_CASE("packed kernels: gradients of filters, random windows") {
  check_random(KernelPhase::backward_filter, 5, 3);
}

TEST_CASE("packed kernels: more panels than are packed at a time") {
  Random random(4);
  KernelSpec spec;
  spec.in = {{1, 320, 1, 12, 16}};
  spec.out = {{1, 16, 1, 12, 16}};
  for (std::size_t i : {1, 2}) {
    spec.window.dims[i] = {.kernel = 3, .padding_begin = 1, .padding_end = 1};
  }
  for (const KernelPhase phase : {KernelPhase::forward, KernelPhase::backward_filter}) {
    spec.phase = phase;
    check_packed(spec, random);
  }
  std::swap(spec.in, spec.out);
  spec.phase = KernelPhase::backward_data;
  check_packed(spec, random);
}

// Each class of inputs is then one row of positions, whose pieces end within rows of the images.
TEST_CASE("packed kernels: gradients of inputs of windows that do not overlap") {
  Random random(5);
  KernelSpec spec;
  spec.phase = KernelPhase::backward_data;
  spec.in = {{3, 16, 1, 26, 38}};
  spec.out = {{3, 32, 1, 13, 19}};
  for (std::size_t i : {1, 2}) spec.window.dims[i] = {.kernel = 2, .stride = 2};
  check_packed(spec, random);
}

TEST_CASE("packed kernels: others are refused") {
  KernelSpec spec;
  spec.in = {{1, 40, 1, 9, 12}};
  spec.out = {{1, 16, 1, 9, 12}};
  for (const KernelPhase phase :
       {KernelPhase::forward, KernelPhase::backward_data, KernelPhase::backward_filter}) {
    spec.phase = phase;
    CHECK_THROWS_AS(make_packed_kernel(spec), std::logic_error);
  }
  // The weights of this convolution are stored in rows.
  spec.in[Dim::c] = 32;
  for (std::size_t i : {1, 2}) {
    spec.window.dims[i] = {.kernel = 5, .padding_begin = 2, .padding_end = 2};
  }
  for (const KernelPhase phase : {KernelPhase::forward, KernelPhase::backward_data}) {
    spec.phase = phase;
    CHECK_THROWS_AS(make_packed_kernel(spec), std::logic_error);
  }
}

}  // namespace cnnplan::onednn
