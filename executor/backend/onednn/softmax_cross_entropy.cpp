// Softmax over channels and the mean of -log of the probability of the label.
#include <algorithm>
#include <cmath>

#include "executor/backend/labels.hpp"
#include "executor/backend/onednn/kernels.hpp"
#include "executor/backend/onednn/runs.hpp"
#include "executor/backend/onednn/vectorize.hpp"

namespace cnnplan::onednn {
namespace {

CNNPLAN_VECTORIZED float largest_of(const float* x, std::int64_t count) {
  float largest = x[0];
  for (std::int64_t c = 1; c < count; ++c) largest = std::max(largest, x[c]);
  return largest;
}

CNNPLAN_VECTORIZED void scale(float* values, float factor, std::int64_t count) {
  for (std::int64_t c = 0; c < count; ++c) values[c] *= factor;
}

// Probabilities of one position; returns -log of that of `label`.
double softmax(const float* x, float* probabilities, std::int64_t count, std::int64_t label) {
  const float largest = largest_of(x, count);
  double sum = 0.0;
  for (std::int64_t c = 0; c < count; ++c) {
    probabilities[c] = std::exp(x[c] - largest);
    sum += static_cast<double>(probabilities[c]);
  }
  scale(probabilities, static_cast<float>(1.0 / sum), count);
  return std::log(sum) - static_cast<double>(x[label] - largest);
}

void forward(const Shape& shape, double loss_count, Operands operands) {
  const std::int64_t channels = shape[Dim::c];
  const auto* label = operands[1].as<const std::int32_t>();
  double loss = 0.0;
  for_each_run<2>(shape, {operands[0], operands[2]}, [&](const Run<2>& run) {
    for (std::int64_t i = 0; i < run.positions; ++i) {
      const std::int64_t wanted = checked_label(*label++, channels);
      loss += softmax(run.data[0] + i * channels, run.data[1] + i * channels, channels, wanted);
    }
  });
  *operands[3].as<double>() = loss / loss_count;
}

void backward_data(const Shape& shape, double divisor, Operands operands) {
  const std::int64_t channels = shape[Dim::c];
  const auto factor = static_cast<float>(1.0 / divisor);
  const auto* label = operands[1].as<const std::int32_t>();
  for_each_run<2>(shape, {operands[0], operands[2]}, [&](const Run<2>& run) {
    for (std::int64_t i = 0; i < run.positions; ++i) {
      const float* probabilities = run.data[0] + i * channels;
      float* dx = run.data[1] + i * channels;
      std::copy_n(probabilities, channels, dx);
      dx[checked_label(*label++, channels)] -= 1.0F;
      scale(dx, factor, channels);
    }
  });
}

}  // namespace

std::unique_ptr<Kernel> make_softmax_cross_entropy(const KernelSpec& spec,
                                                   const KernelConstants& constants) {
  const bool is_forward = spec.phase == KernelPhase::forward;
  return std::make_unique<FunctionKernel>(
      "loops", is_forward ? 4 : 3, [=](Operands operands, const StepState& state) {
        is_forward ? forward(spec.in, constants.loss_count, operands)
                   : backward_data(spec.in, constants.loss_count / state.loss_scale, operands);
      });
}

}  // namespace cnnplan::onednn
