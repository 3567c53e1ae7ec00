// Sum of two tensors, the second scaled, with ReLU where asked for; also the accumulation of error
// signals. A factor of 1 takes the time of none: memory is slower than the multiplication.
#include "executor/backend/onednn/kernels.hpp"
#include "executor/backend/onednn/runs.hpp"
#include "executor/backend/onednn/vectorize.hpp"

namespace cnnplan::onednn {
namespace {

CNNPLAN_VECTORIZED void add(
    const float* a, const float* b, float scale, float* y, std::int64_t count) {
  CNNPLAN_INDEPENDENT
  for (std::int64_t i = 0; i < count; ++i) y[i] = a[i] + scale * b[i];
}

CNNPLAN_VECTORIZED void add_relu(
    const float* a, const float* b, float scale, float* y, std::int64_t count) {
  CNNPLAN_INDEPENDENT
  for (std::int64_t i = 0; i < count; ++i) {
    const float sum = a[i] + scale * b[i];
    y[i] = sum < 0.0F ? 0.0F : sum;
  }
}

CNNPLAN_VECTORIZED void multiply(const float* dy, float scale, float* dx, std::int64_t count) {
  CNNPLAN_INDEPENDENT
  for (std::int64_t i = 0; i < count; ++i) dx[i] = scale * dy[i];
}

void forward(const KernelSpec& spec, float scale, Operands operands) {
  const auto loop = spec.relu ? add_relu : add;
  for_each_run<3>(spec.out, {operands[0], operands[1], operands[2]}, [&](const Run<3>& run) {
    loop(run.data[0], run.data[1], scale, run.data[2], run.positions * spec.out[Dim::c]);
  });
}

void backward_data(const KernelSpec& spec, float scale, Operands operands) {
  for_each_run<2>(spec.out, {operands[0], operands[1]}, [&](const Run<2>& run) {
    multiply(run.data[0], scale, run.data[1], run.positions * spec.out[Dim::c]);
  });
}

}  // namespace

std::unique_ptr<Kernel> make_add(const KernelSpec& spec, const KernelConstants& constants) {
  const auto scale = static_cast<float>(constants.add_scale);
  const bool is_forward = spec.phase == KernelPhase::forward;
  return std::make_unique<FunctionKernel>(
      "loops", is_forward ? 3 : 2, [=](Operands operands, const StepState&) {
        is_forward ? forward(spec, scale, operands) : backward_data(spec, scale, operands);
      });
}

}  // namespace cnnplan::onednn
