// The mean of squared differences from targets.
#include "executor/backend/onednn/kernels.hpp"
#include "executor/backend/onednn/runs.hpp"
#include "executor/backend/onednn/vectorize.hpp"

namespace cnnplan::onednn {
namespace {

// Sum of the squares of what is written.
CNNPLAN_VECTORIZED double subtract(const float* __restrict x,
                                   const float* __restrict targets,
                                   float* __restrict differences,
                                   std::int64_t count) {
  double sum = 0.0;
  for (std::int64_t i = 0; i < count; ++i) {
    differences[i] = x[i] - targets[i];
    const auto difference = static_cast<double>(differences[i]);
    sum += difference * difference;
  }
  return sum;
}

CNNPLAN_VECTORIZED void scale(const float* __restrict from,
                              float factor,
                              float* __restrict to,
                              std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) to[i] = factor * from[i];
}

void forward(const Shape& shape, double count, Operands operands) {
  const std::int64_t channels = shape[Dim::c];
  double sum = 0.0;
  for_each_run<3>(shape, {operands[0], operands[1], operands[2]}, [&](const Run<3>& run) {
    sum += subtract(run.data[0], run.data[1], run.data[2], run.positions * channels);
  });
  *operands[3].as<double>() = sum / count;
}

void backward_data(const Shape& shape, double divisor, Operands operands) {
  const std::int64_t channels = shape[Dim::c];
  const auto factor = static_cast<float>(2.0 / divisor);
  for_each_run<2>(shape, {operands[0], operands[1]}, [&](const Run<2>& run) {
    scale(run.data[0], factor, run.data[1], run.positions * channels);
  });
}

}  // namespace

std::unique_ptr<Kernel> make_mean_squared_error(const KernelSpec& spec,
                                                const KernelConstants& constants) {
  const bool is_forward = spec.phase == KernelPhase::forward;
  return std::make_unique<FunctionKernel>(
      "loops", is_forward ? 4 : 2, [=](Operands operands, const StepState& state) {
        is_forward ? forward(spec.in, constants.loss_count, operands)
                   : backward_data(spec.in, constants.loss_count / state.loss_scale, operands);
      });
}

}  // namespace cnnplan::onednn
