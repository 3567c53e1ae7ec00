// Tests convolutions by products of matrices against the reference backend in double.
#include "executor/verify/matrix_convolution.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

#include <doctest/doctest.h>

#include "executor/backend/reference/backend.hpp"
#include "executor/verify/dense_operand.hpp"
#include "executor/verify/linear_terms.hpp"
#include "executor/verify/window_rows.hpp"
#include "planner/kernel/kernel_operands.hpp"
#include "tests/executor/verify/random_convolution.hpp"

namespace cnnplan::test {
namespace {

using Role = OperandRole;

Shape operand_shape(const KernelSpec& spec, Role role) {
  if (role == Role::x || role == Role::dx) return spec.in;
  if (role == Role::y || role == Role::dy) return spec.out;
  const bool is_bias = role == Role::bias || role == Role::dbias;
  return {{1, 1, 1, 1, is_bias ? spec.out[Dim::c] : weight_volume(spec)}};
}

// Holds the operands of one run. Written operands begin with random values, too.
class RunValues {
 public:
  RunValues(const KernelSpec& spec, std::uint64_t seed) : roles_(kernel_operands(spec)) {
    Draws draws(seed);
    for (const KernelOperand& operand : roles_) {
      boxes_.push_back(whole(operand_shape(spec, operand.role)));
      values_.push_back(draws.values(volume(boxes_.back())));
    }
  }
  std::vector<TensorView> views() {
    std::vector<TensorView> views;
    for (std::size_t i = 0; i < values_.size(); ++i) {
      views.push_back(dense_view(values_[i], boxes_[i]));
    }
    return views;
  }
  const std::vector<KernelOperand>& roles() const { return roles_; }
  std::vector<double>& operator[](std::size_t operand) { return values_[operand]; }

 private:
  std::vector<KernelOperand> roles_;
  std::vector<Box> boxes_;
  std::vector<std::vector<double>> values_;
};

// Counts the results that are not equal, relative to the sum of absolute terms.
int wrong_results(const KernelSpec& spec, std::uint64_t seed) {
  const auto reference = reference::make_backend();
  RunValues expected(spec, seed);
  RunValues computed(spec, seed);
  reference->make_kernel(spec, {}, "")->run(expected.views(), {});
  make_matrix_convolution(spec)->run(computed.views(), {});
  const auto absolute = AbsoluteTerms(spec, {}, *reference).run(expected.views(), {});
  int wrong = 0;
  for (std::size_t i = 0; i < absolute.size(); ++i) {
    for (std::size_t k = 0; k < absolute[i].size(); ++k) {
      const double error = std::abs(computed[i][k] - expected[i][k]);
      if (!(error <= 1e-14 * absolute[i][k])) ++wrong;
    }
  }
  return wrong;
}

void check_all_phases(KernelSpec spec, std::uint64_t seed) {
  CAPTURE(to_text(spec));
  for (const KernelPhase phase :
       {KernelPhase::forward, KernelPhase::backward_data, KernelPhase::backward_filter}) {
    spec.phase = phase;
    spec.bias = phase != KernelPhase::backward_data && seed % 2 == 0;
    spec.relu = phase == KernelPhase::forward && seed % 3 == 0;
    CHECK(wrong_results(spec, seed) == 0);
  }
}

}  // namespace

TEST_CASE("matrix convolution: all phases of random convolutions equal the reference's") {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Draws draws(seed);
    check_all_phases(random_convolution(draws, 6), seed);
  }
}

TEST_CASE("matrix convolution: several blocks of positions equal the reference's") {
  int several = 0;
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    Draws draws(seed);
    KernelSpec spec = random_convolution(draws, 6);
    spec.in[Dim::c] = 8 * spec.groups;
    spec.out[Dim::w] = 200;
    spec.in[Dim::w] = 200 * spec.window.dims[2].stride;
    const WindowRows rows(spec);
    if (rows.most_selected() < rows.positions()) ++several;
    check_all_phases(spec, seed);
  }
  CHECK(several >= 3);
}

TEST_CASE("matrix convolution: fully connected layers and depthwise convolutions are right") {
  KernelSpec connected{.bias = true, .precision = Precision::fp64};
  connected.in = Shape{{5, 7, 1, 4, 3}};
  connected.out = Shape{{5, 11, 1, 1, 1}};
  connected.window.dims[1].kernel = 4;
  connected.window.dims[2].kernel = 3;
  check_all_phases(connected, 2);
  KernelSpec depthwise{.groups = 12, .bias = true, .precision = Precision::fp64};
  depthwise.in = depthwise.out = Shape{{2, 12, 1, 9, 8}};
  for (const std::size_t dim : {1, 2}) {
    depthwise.window.dims[dim] = {.kernel = 3, .padding_begin = 1, .padding_end = 1};
  }
  check_all_phases(depthwise, 4);
}

TEST_CASE("matrix convolution: blocks without positions or inputs give the reference's zeros") {
  for (const Dim dim : {Dim::n, Dim::h}) {
    Draws draws(7);
    KernelSpec spec = random_convolution(draws, 4);
    spec.in[dim] = 0;
    if (dim == Dim::n) spec.out[dim] = 0;
    check_all_phases(spec, 8);
    check_all_phases(spec, 9);
  }
}

TEST_CASE("matrix convolution: a ReLU keeps what is not a number") {
  KernelSpec spec{.relu = true, .precision = Precision::fp64};
  spec.in = spec.out = Shape{{1, 1, 1, 1, 9}};
  RunValues run(spec, 1);
  run[0][4] = std::numeric_limits<double>::quiet_NaN();
  make_matrix_convolution(spec)->run(run.views(), {});
  CHECK(std::isnan(run[2][4]));
  CHECK(run[2][5] >= 0.0);
}

TEST_CASE("matrix convolution: other kernels and precisions are refused") {
  CHECK_THROWS_AS(make_matrix_convolution({.precision = Precision::fp32}), std::logic_error);
  CHECK_THROWS_AS(make_matrix_convolution({.kind = KernelKind::bias, .precision = Precision::fp64}),
                  std::logic_error);
}

}  // namespace cnnplan::test
