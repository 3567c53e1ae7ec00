// Bias: y = x + bias of the channel; its gradient is the sum over positions.
#include <algorithm>
#include <vector>

#include "executor/backend/onednn/kernels.hpp"
#include "executor/backend/onednn/runs.hpp"
#include "executor/backend/onednn/vectorize.hpp"

namespace cnnplan::onednn {
namespace {

CNNPLAN_VECTORIZED void add(
    const float* x, const float* bias, float* y, std::int64_t positions, std::int64_t channels) {
  for (std::int64_t i = 0; i < positions; ++i, x += channels, y += channels) {
    CNNPLAN_INDEPENDENT
    for (std::int64_t c = 0; c < channels; ++c) y[c] = x[c] + bias[c];
  }
}

CNNPLAN_VECTORIZED void add_to(const float* dy,
                               double* __restrict sums,
                               std::int64_t positions,
                               std::int64_t channels) {
  for (std::int64_t i = 0; i < positions; ++i, dy += channels) {
    for (std::int64_t c = 0; c < channels; ++c) sums[c] += static_cast<double>(dy[c]);
  }
}

void forward(const Shape& shape, Operands operands) {
  const auto* bias = operands[1].as<const float>();
  for_each_run<2>(shape, {operands[0], operands[2]}, [&](const Run<2>& run) {
    add(run.data[0], bias, run.data[1], run.positions, shape[Dim::c]);
  });
}

void backward_filter(const Shape& shape, Operands operands, std::vector<double>& sums) {
  std::fill(sums.begin(), sums.end(), 0.0);
  for_each_run<1>(shape, {operands[0]}, [&](const Run<1>& run) {
    add_to(run.data[0], sums.data(), run.positions, shape[Dim::c]);
  });
  std::transform(sums.begin(), sums.end(), operands[1].as<float>(), [](double sum) {
    return static_cast<float>(sum);
  });
}

}  // namespace

std::unique_ptr<Kernel> make_bias(const KernelSpec& spec) {
  if (spec.phase == KernelPhase::forward) {
    return std::make_unique<FunctionKernel>(
        "loops", 3, [=](Operands operands, const StepState&) { forward(spec.out, operands); });
  }
  const std::vector<double> zeros(static_cast<std::size_t>(spec.out[Dim::c]), 0.0);
  return std::make_unique<FunctionKernel>(
      "loops", 2, [shape = spec.out, sums = zeros](Operands operands, const StepState&) mutable {
        backward_filter(shape, operands, sums);
      });
}

}  // namespace cnnplan::onednn
