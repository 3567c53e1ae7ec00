// Tests that our own kernels move the bytes that bytes(spec, DeviceKind::gpu) counts for them.
//
// Kernels run at small shapes, and every block counts. The formulas are proportional to the sizes
// of blocks, so they hold for large shapes, too. Arrays with a number per channel do not grow with
// a block, and neither do the sums of blocks of threads. They are not part of the formulas.
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "executor/backend/cudnn/kernels.hpp"
#include "planner/kernel/kernel_kinds.hpp"
#include "planner/kernel/kernel_work.hpp"
#include "profiler/cudnn_bench/own_operands.hpp"
#include "tests/emulation/device.hpp"
#include "tests/profiler/cudnn_bench/byte_counter.hpp"

namespace cnnplan::test {
namespace {

constexpr Shape small{{2, 16, 1, 6, 10}};

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

// With a ReLU alone, the backward pass of a batch norm on a GPU finds the mask from x. After a
// residual, it reads the mask. Other backends read the output.
bool leaves_output(const KernelSpec& spec) {
  const bool is_backward =
      spec.phase == KernelPhase::backward_statistics || spec.phase == KernelPhase::backward_data;
  const bool masks_from_x = spec.relu && !spec.residual && !spec.second_dy;
  return spec.kind == KernelKind::batch_norm && is_backward && (masks_from_x || has_mask(spec));
}

void add_batch_norms(Precision precision, std::vector<KernelSpec>& cases) {
  for (const PhaseRow& row : row_of(KernelKind::batch_norm).phases) {
    for (const bool relu : {false, true}) {
      for (const bool residual : {false, true}) {
        KernelSpec spec =
            fused(spec_of(KernelKind::batch_norm, row.phase, precision), relu, residual);
        cases.push_back(spec);
        spec.second_dy = true;
        if (row.phase == KernelPhase::backward_statistics) cases.push_back(spec);
        spec.in[Dim::c] = spec.out[Dim::c] = bits_of_word;
        spec.second_dy = row.phase == KernelPhase::backward_statistics;
        cases.push_back(spec);
      }
    }
  }
}

void add_poolings(Precision precision, std::vector<KernelSpec>& cases) {
  for (const KernelPhase phase : {KernelPhase::forward, KernelPhase::backward_data}) {
    for (const PoolingMode mode : {PoolingMode::max, PoolingMode::average}) {
      KernelSpec spec = windowed(spec_of(KernelKind::pooling, phase, precision), 3, 2);
      spec.pooling = mode;
      cases.push_back(spec);
    }
  }
}

void add_others(Precision precision, std::vector<KernelSpec>& cases) {
  using enum KernelKind;
  const auto forward = [precision](KernelKind kind) {
    return spec_of(kind, KernelPhase::forward, precision);
  };
  const auto backward = [precision](KernelKind kind) {
    return spec_of(kind, KernelPhase::backward_data, precision);
  };
  for (const KernelKind kind : {relu, leaky_relu, channel_shuffle, add, bias, accumulate}) {
    cases.push_back(forward(kind));
    if (has_phase(kind, KernelPhase::backward_data)) cases.push_back(backward(kind));
  }
  cases.push_back(spec_of(bias, KernelPhase::backward_filter, precision));
  cases.push_back(upsampled(forward(upsample), 2));
  cases.push_back(upsampled(backward(upsample), 2));
  cases.push_back(forward(dropout));
  cases.push_back(backward(dropout));
}

std::vector<KernelSpec> cases_of(Precision precision) {
  std::vector<KernelSpec> cases;
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
// output that the kernel need not read must not move at all. Places of maxima are bytes, and masks
// are words of bits.
double block_bytes_of(const KernelSpec& spec) {
  const std::vector<KernelOperand> operands = kernel_operands(spec);
  const std::vector<MovedBytes> moved = moved_by(spec);
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const bool is_index = operands[i].role == OperandRole::index;
    const bool is_mask = operands[i].role == OperandRole::mask;
    if (!is_index && !is_mask && !is_block(operands[i], spec)) continue;
    CAPTURE(static_cast<int>(operands[i].role));
    const bool is_left = operands[i].role == OperandRole::y && leaves_output(spec);
    const std::int64_t element_bytes = is_index ? 1 : bytes_of(operands[i].element);
    const std::int64_t bytes = is_left ? 0 : operands[i].elements * element_bytes;
    CHECK(moved[i].read == (operands[i].written ? 0 : bytes));
    CHECK(moved[i].written == (operands[i].written ? bytes : 0));
    sum += moved[i].total();
  }
  return static_cast<double>(sum);
}

}  // namespace

TEST_CASE("moved bytes: each block moves once, and the planner's formula counts it") {
  for (const Precision precision : {Precision::fp32, Precision::bf16}) {
    for (const KernelSpec& spec : cases_of(precision)) {
      CAPTURE(to_text(spec));
      CHECK(block_bytes_of(spec) == bytes(spec, DeviceKind::gpu));
    }
  }
}

TEST_CASE("moved bytes: an update moves what the formula counts") {
  for (const Precision precision : {Precision::fp32, Precision::bf16}) {
    KernelSpec spec = spec_of(KernelKind::sgd, KernelPhase::update, precision);
    spec.in = spec.out = {{1, 1, 1, 1, 160}};
    std::int64_t sum = 0;
    for (const MovedBytes& moved : moved_by(spec)) sum += moved.total();
    CHECK(static_cast<double>(sum) == bytes(spec, DeviceKind::gpu));
  }
}

}  // namespace cnnplan::test
