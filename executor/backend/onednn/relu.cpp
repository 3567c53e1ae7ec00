// ReLU, one pass.
#include <algorithm>

#include "executor/backend/onednn/kernels.hpp"
#include "executor/backend/onednn/runs.hpp"
#include "executor/backend/onednn/vectorize.hpp"

namespace cnnplan::onednn {
namespace {

CNNPLAN_VECTORIZED void clip(const float* x, float limit, float* y, std::int64_t count) {
  CNNPLAN_INDEPENDENT
  for (std::int64_t i = 0; i < count; ++i) {
    const float positive = x[i] < 0.0F ? 0.0F : x[i];  // what is no number stays
    y[i] = positive > limit ? limit : positive;
  }
}

CNNPLAN_VECTORIZED void mask(
    const float* y, const float* dy, float limit, float* dx, std::int64_t count) {
  CNNPLAN_INDEPENDENT
  for (std::int64_t i = 0; i < count; ++i) {
    const float gradient = dy[i];
    const bool passes = (y[i] > 0.0F) & (y[i] < limit);
    dx[i] = passes ? gradient : 0.0F;
  }
}

void forward(const Shape& shape, float limit, Operands operands) {
  for_each_run<2>(shape, {operands[0], operands[1]}, [&](const Run<2>& run) {
    clip(run.data[0], limit, run.data[1], run.positions * shape[Dim::c]);
  });
}

void backward_data(const Shape& shape, float limit, Operands operands) {
  for_each_run<3>(shape, {operands[0], operands[1], operands[2]}, [&](const Run<3>& run) {
    mask(run.data[0], run.data[1], limit, run.data[2], run.positions * shape[Dim::c]);
  });
}

}  // namespace

std::unique_ptr<Kernel> make_relu(const KernelSpec& spec, const KernelConstants& constants) {
  const auto limit = static_cast<float>(constants.relu_max);
  const bool is_forward = spec.phase == KernelPhase::forward;
  return std::make_unique<FunctionKernel>(
      "loops", is_forward ? 2 : 3, [=](Operands operands, const StepState&) {
        is_forward ? forward(spec.out, limit, operands) : backward_data(spec.out, limit, operands);
      });
}

}  // namespace cnnplan::onednn
