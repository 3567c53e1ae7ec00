// Computes the softmax over channels and the mean of -log of the probability of the label.
#include <algorithm>
#include <cmath>

#include "executor/backend/compensated_sum.hpp"
#include "executor/backend/labels.hpp"
#include "executor/backend/onednn/elements.hpp"
#include "executor/backend/onednn/kernels.hpp"
#include "executor/backend/onednn/runs.hpp"
#include "executor/backend/onednn/vectorize.hpp"

namespace cnnplan::onednn {
namespace {

template <typename T>
CNNPLAN_INLINE float largest_of(const T* x, std::int64_t count) {
  float largest = x[0];
  for (std::int64_t c = 1; c < count; ++c) largest = std::max<float>(largest, x[c]);
  return largest;
}

CNNPLAN_INLINE void scale(float* values, float factor, std::int64_t count) {
  for (std::int64_t c = 0; c < count; ++c) values[c] *= factor;
}

// Computes the probabilities of one position. Returns -log of the probability of `label`.
template <typename T>
double softmax(const T* x, float* probabilities, std::int64_t count, std::int64_t label) {
  const float largest = vectorized<largest_of<T>>(x, count);
  double sum = 0.0;
  for (std::int64_t c = 0; c < count; ++c) {
    probabilities[c] = std::exp(x[c] - largest);
    sum += probabilities[c];
  }
  vectorized<scale>(probabilities, stored<float>(1.0 / sum), count);
  return std::log(sum) - (x[label] - largest);
}

template <typename T>
void forward(const Shape& shape, double loss_count, const OperandsByRole& operands) {
  const std::int64_t channels = shape[Dim::c];
  const auto* label = operands[Role::labels].as<const std::int32_t>();
  CompensatedSum loss;
  const auto add_losses = [&](std::int64_t positions, const T* x, float* probabilities) {
    for (std::int64_t i = 0; i < positions * channels; i += channels) {
      const std::int64_t wanted = checked_label(*label++, channels);
      loss.add(softmax(x + i, probabilities + i, channels, wanted));
    }
  };
  for_each_run<T, float>(shape, {operands[Role::x], operands[Role::probabilities]}, add_losses);
  *operands[Role::loss].as<double>() = loss.value() / loss_count;
}

template <typename T>
void backward_data(const Shape& shape,
                   double divisor,
                   const OperandsByRole& operands,
                   FloatRow<T>& row) {
  const std::int64_t channels = shape[Dim::c];
  const auto factor = stored<float>(1.0 / divisor);
  const auto* label = operands[Role::labels].as<const std::int32_t>();
  const auto subtract_labels = [&](std::int64_t positions, const float* probabilities, T* dx) {
    for (std::int64_t i = 0; i < positions * channels; i += channels) {
      float* differences = row.open(dx + i);
      std::copy_n(probabilities + i, channels, differences);
      differences[checked_label(*label++, channels)] -= 1.0F;
      vectorized<scale>(differences, factor, channels);
      row.close(dx + i);
    }
  };
  for_each_run<float, T>(
      shape, {operands[Role::probabilities], operands[Role::dx]}, subtract_labels);
}

}  // namespace

std::unique_ptr<Kernel> make_softmax_cross_entropy(const Library&,
                                                   const KernelSpec& spec,
                                                   const KernelConstants& constants) {
  const bool is_forward = spec.phase == KernelPhase::forward;
  return with_activation(spec.precision, [&]<typename T>(T) -> std::unique_ptr<Kernel> {
    return std::make_unique<FunctionKernel>(
        "loops",
        spec,
        [=, row = FloatRow<T>(spec.in[Dim::c])](const OperandsByRole& operands,
                                                const StepState& state) mutable {
          is_forward
              ? forward<T>(spec.in, constants.loss_count, operands)
              : backward_data<T>(spec.in, constants.loss_count / state.loss_scale, operands, row);
        });
  });
}

}  // namespace cnnplan::onednn
