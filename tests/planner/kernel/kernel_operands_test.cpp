// Tests the table of kernels: which operands a kernel takes, in which order, and of which size.
#include "planner/kernel/kernel_operands.hpp"

#include <set>
#include <stdexcept>
#include <vector>

#include <doctest/doctest.h>

#include "planner/kernel/kernel_kinds.hpp"

namespace cnnplan::test {
namespace {

using enum OperandRole;

KernelSpec spec_of(KernelKind kind, KernelPhase phase) {
  KernelSpec spec{.kind = kind, .phase = phase};
  spec.in = {{2, 4, 1, 6, 5}};
  spec.out = {{2, 8, 1, 5, 4}};
  spec.window.dims[1] = {.kernel = 2};
  spec.window.dims[2] = {.kernel = 2};
  return spec;
}

std::vector<OperandRole> roles(const KernelSpec& spec) {
  std::vector<OperandRole> roles;
  for (const KernelOperand& operand : kernel_operands(spec)) roles.push_back(operand.role);
  return roles;
}

// Calls f(spec) for every kind and phase, with and without each flag that adds operands.
template <typename F>
void for_each_spec(F f) {
  for (const KernelKind kind : Enumerators<KernelKind>::all) {
    for (const PhaseRow& phase : row_of(kind).phases) {
      for (const unsigned flags : {0U, 1U, 2U, 4U, 6U, 8U, 18U, 22U}) {
        KernelSpec spec = spec_of(kind, phase.phase);
        spec.bias = (flags & 1U) != 0;
        spec.relu = (flags & 2U) != 0;
        spec.residual = (flags & 4U) != 0;
        spec.second_dy = (flags & 16U) != 0;
        spec.pooling = flags == 8U ? PoolingMode::average : PoolingMode::max;
        if (flags == 8U) spec.precision = Precision::bf16;
        CAPTURE(to_text(spec));
        f(spec);
      }
    }
  }
}

}  // namespace

TEST_CASE("kernel_operands: flags add operands in their places") {
  KernelSpec spec = spec_of(KernelKind::batch_norm, KernelPhase::backward_statistics);
  CHECK(roles(spec) == std::vector{x, dy, sums, gradient_sums, dscale, dshift});
  spec.relu = true;
  CHECK(roles(spec) == std::vector{x, dy, y, sums, scale, shift, gradient_sums, dscale, dshift});
  spec.residual = true;
  CHECK(roles(spec) == std::vector{x, dy, y, sums, gradient_sums, dscale, dshift, dz});
  spec.second_dy = true;
  CHECK(roles(spec) == std::vector{x, dy, second_dy, y, sums, gradient_sums, dscale, dshift, dz});
  spec.second_dy = false;
  spec.precision = Precision::bf16;
  spec.out[Dim::c] = 64;
  CHECK(roles(spec) == std::vector{x, dy, y, sums, gradient_sums, dscale, dshift, dz, mask});
  CHECK(kernel_operands(spec).back() == KernelOperand{mask, BufferElement::int32, 80, false});
  spec.phase = KernelPhase::backward_data;
  CHECK(roles(spec) == std::vector{x, dz, sums, gradient_sums, scale, dx});
  spec.residual = false;
  CHECK(roles(spec) == std::vector{x, dz, y, sums, gradient_sums, scale, shift, dx});
}

// The tensor x has 2 x 4 x 6 x 5 elements, y has 2 x 8 x 5 x 4, and the weight has 8 x 4 x 2 x 2.
TEST_CASE("kernel_operands: elements and sizes follow from the role") {
  KernelSpec spec = spec_of(KernelKind::convolution, KernelPhase::backward_filter);
  spec.precision = Precision::bf16;
  spec.bias = true;
  CHECK(kernel_operands(spec) ==
        std::vector<KernelOperand>{{x, BufferElement::bf16, 240, false},
                                   {dy, BufferElement::bf16, 320, false},
                                   {dweight, BufferElement::fp32, 128, true},
                                   {dbias, BufferElement::fp32, 8, true}});
  spec = spec_of(KernelKind::softmax_cross_entropy, KernelPhase::forward);
  spec.precision = Precision::fp64;
  CHECK(kernel_operands(spec) ==
        std::vector<KernelOperand>{{x, BufferElement::fp64, 240, false},
                                   {labels, BufferElement::int32, 40, false},
                                   {probabilities, BufferElement::fp64, 320, true},
                                   {loss, BufferElement::fp64, 1, true}});
  spec = spec_of(KernelKind::batch_norm, KernelPhase::forward_statistics);
  CHECK(kernel_operands(spec)[1] == KernelOperand{sums, BufferElement::fp64, 17, true});
}

TEST_CASE("kernel_operands: every kernel writes something, and no role stands twice") {
  for_each_spec([](const KernelSpec& spec) {
    const std::vector<KernelOperand> operands = kernel_operands(spec);
    std::set<OperandRole> roles;
    bool writes = false;
    for (const KernelOperand& operand : operands) {
      writes = writes || operand.written;
      CHECK(roles.insert(operand.role).second);
    }
    CHECK(writes);
  });
}

TEST_CASE("OperandPositions: finds each operand, and refuses roles that the kernel lacks") {
  for_each_spec([](const KernelSpec& spec) {
    const std::vector<KernelOperand> operands = kernel_operands(spec);
    const OperandPositions positions(spec);
    REQUIRE(positions.count() == operands.size());
    for (std::size_t i = 0; i < operands.size(); ++i) CHECK(positions[operands[i].role] == i);
  });
  const OperandPositions convolution(spec_of(KernelKind::convolution, KernelPhase::forward));
  CHECK(!convolution.has(bias));
  CHECK_THROWS_AS(convolution[bias], std::logic_error);
  CHECK(OperandPositions(spec_of(KernelKind::bias, KernelPhase::forward)).has(bias));
}

TEST_CASE("phase_of: refuses a phase that the kind lacks") {
  CHECK(!has_phase(KernelKind::relu, KernelPhase::update));
  CHECK_THROWS_AS(phase_of(spec_of(KernelKind::relu, KernelPhase::update)), std::logic_error);
  CHECK(phase_of(spec_of(KernelKind::sgd, KernelPhase::update)).passes == 5.0);
}

}  // namespace cnnplan::test
