// Tests that our own kernels move the bytes that planner/kernel/kernel_work.hpp counts for them.
//
// Kernels run at small shapes, and every block counts. The formulas are proportional to the sizes
// of blocks, so they hold for large shapes, too. Arrays with a number per channel do not grow with
// a block, and neither do the sums of blocks of threads. They are not part of the formulas.
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "executor/backend/cudnn/kernels.hpp"
#include "planner/kernel/kernel_kinds.hpp"
#include "profiler/cudnn_bench/own_operands.hpp"
#include "tests/emulation/device.hpp"
#include "tests/profiler/cudnn_bench/byte_counter.hpp"

namespace cnnplan::test {
namespace {

constexpr Shape small{{2, 16, 1, 6, 10}};

// Describes a kernel, and what the formula says beyond the bytes of its blocks.
struct Case {
  KernelSpec spec;
  // The formula counts these bytes, and the kernel does not move them by fetch() and store().
  double not_moved_bytes = 0.0;
};

double bytes_of_elements(const KernelSpec& spec, const Shape& shape) {
  return static_cast<double>(activation_bytes(spec.precision) * volume(shape));
}

KernelSpec spec_of(KernelKind kind, KernelPhase phase, Precision precision) {
  KernelSpec spec;
  spec.kind = kind;
  spec.phase = phase;
  spec.precision = precision;
  spec.in = spec.out = small;
  return spec;
}

KernelSpec fused(KernelSpec spec, bool relu, bool residual) {
  spec.relu = relu;
  spec.residual = residual;
  return spec;
}

// Returns a window of `kernel` by `kernel` that begins `stride` places after the last one. The
// blocks are those of the phase `forward`.
KernelSpec windowed(KernelSpec spec, std::int64_t kernel, std::int64_t stride) {
  const WindowDim dim{.kernel = kernel, .stride = stride};
  spec.window.dims[1] = spec.window.dims[2] = dim;
  for (const Dim axis : {Dim::h, Dim::w}) {
    spec.out[axis] = (spec.in[axis] - kernel) / stride + 1;
    spec.in[axis] = (spec.out[axis] - 1) * stride + kernel;
  }
  return spec;
}

KernelSpec upsampled(KernelSpec spec, std::int64_t factor) {
  spec.window.dims[1] = spec.window.dims[2] = {.kernel = factor, .stride = factor};
  for (const Dim axis : {Dim::h, Dim::w}) spec.out[axis] = factor * spec.in[axis];
  return spec;
}

// With a ReLU alone, the backward pass of a batch norm on a GPU finds the mask from x. The formula
// counts the output, because other backends read it.
bool leaves_output(const KernelSpec& spec) {
  const bool is_backward =
      spec.phase == KernelPhase::backward_statistics || spec.phase == KernelPhase::backward_data;
  return spec.kind == KernelKind::batch_norm && is_backward && spec.relu && !spec.residual;
}

void add_batch_norms(Precision precision, std::vector<Case>& cases) {
  for (const PhaseRow& row : row_of(KernelKind::batch_norm).phases) {
    for (const bool relu : {false, true}) {
      for (const bool residual : {false, true}) {
        const KernelSpec spec =
            fused(spec_of(KernelKind::batch_norm, row.phase, precision), relu, residual);
        cases.push_back({spec, leaves_output(spec) ? bytes_of_elements(spec, small) : 0.0});
      }
    }
  }
}

// The places of maxima are no block of activations. The formula counts four bytes for each, for a
// mean, too.
void add_poolings(Precision precision, std::vector<Case>& cases) {
  for (const KernelPhase phase : {KernelPhase::forward, KernelPhase::backward_data}) {
    for (const PoolingMode mode : {PoolingMode::max, PoolingMode::average}) {
      KernelSpec spec = windowed(spec_of(KernelKind::pooling, phase, precision), 3, 2);
      spec.pooling = mode;
      const double places = static_cast<double>(volume(spec.out));
      cases.push_back({spec, static_cast<double>(parameter_bytes(precision)) * places});
    }
  }
}

void add_others(Precision precision, std::vector<Case>& cases) {
  using enum KernelKind;
  const auto forward = [precision](KernelKind kind) {
    return spec_of(kind, KernelPhase::forward, precision);
  };
  const auto backward = [precision](KernelKind kind) {
    return spec_of(kind, KernelPhase::backward_data, precision);
  };
  for (const KernelKind kind : {relu, leaky_relu, channel_shuffle, add, bias, accumulate}) {
    cases.push_back({forward(kind)});
    if (has_phase(kind, KernelPhase::backward_data)) cases.push_back({backward(kind)});
  }
  cases.push_back({spec_of(bias, KernelPhase::backward_filter, precision)});
  cases.push_back({upsampled(forward(upsample), 2)});
  cases.push_back({upsampled(backward(upsample), 2)});
  cases.push_back({forward(dropout)});
  // Profiles and prices count a third pass.
  cases.push_back({backward(dropout), bytes_of_elements(backward(dropout), small)});
}

std::vector<Case> cases_of(Precision precision) {
  std::vector<Case> cases;
  add_batch_norms(precision, cases);
  add_poolings(precision, cases);
  add_others(precision, cases);
  return cases;
}

// True for operands that are as large as a block of activations and accessed by vectors.
bool is_block(const KernelOperand& operand, const KernelSpec& spec) {
  return operand.element == buffer_element(activation_element(spec.precision)) &&
         (operand.elements == volume(spec.in) || operand.elements == volume(spec.out));
}

// Runs the kernel, and returns the bytes that it moved of each operand, and of everything else.
std::vector<MovedBytes> moved_by(const KernelSpec& spec) {
  emulation::reset();
  cudnn::Library library(cudnn::Options{});
  const cudnn::OwnOperands operands(library.device(), spec);
  const std::unique_ptr<Kernel> kernel = cudnn::make_kernel(library, {}, spec, {});
  library.device().synchronize();
  ByteCounter counter;
  const std::vector<KernelOperand> described = kernel_operands(spec);
  for (std::size_t i = 0; i < described.size(); ++i) {
    const TensorView& view = operands.views()[i];
    counter.watch(view.data, described[i].elements * bytes_of(described[i].element));
  }
  kernel->run(operands.views(), {});
  library.device().synchronize();
  return counter.moved();
}

// Returns the bytes of all blocks. Requires that each block is read or written, and only once. An
// output that the kernel need not read must not move at all.
double block_bytes_of(const KernelSpec& spec) {
  const std::vector<KernelOperand> operands = kernel_operands(spec);
  const std::vector<MovedBytes> moved = moved_by(spec);
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (!is_block(operands[i], spec)) continue;
    CAPTURE(static_cast<int>(operands[i].role));
    const bool is_left = operands[i].role == OperandRole::y && leaves_output(spec);
    const std::int64_t bytes = is_left ? 0 : operands[i].elements * bytes_of(operands[i].element);
    CHECK(moved[i].read == (operands[i].written ? 0 : bytes));
    CHECK(moved[i].written == (operands[i].written ? bytes : 0));
    sum += moved[i].total();
  }
  return static_cast<double>(sum);
}

}  // namespace

TEST_CASE("moved bytes: each block moves once, and the planner's formula counts it") {
  for (const Precision precision : {Precision::fp32, Precision::bf16}) {
    for (const Case& one : cases_of(precision)) {
      CAPTURE(to_text(one.spec));
      CHECK(block_bytes_of(one.spec) + one.not_moved_bytes == bytes(one.spec));
    }
  }
}

TEST_CASE("moved bytes: an update moves what the formula counts") {
  for (const Precision precision : {Precision::fp32, Precision::bf16}) {
    KernelSpec spec = spec_of(KernelKind::sgd, KernelPhase::update, precision);
    spec.in = spec.out = {{1, 1, 1, 1, 160}};
    std::int64_t sum = 0;
    for (const MovedBytes& moved : moved_by(spec)) sum += moved.total();
    CHECK(static_cast<double>(sum) == bytes(spec));
  }
}

}  // namespace cnnplan::test
