// Computes the mean of squared differences from targets.
#include "executor/backend/compensated_sum.hpp"
#include "executor/backend/onednn/elements.hpp"
#include "executor/backend/onednn/kernels.hpp"
#include "executor/backend/onednn/runs.hpp"
#include "executor/backend/onednn/vectorize.hpp"

namespace cnnplan::onednn {
namespace {

// Returns the sum of the squares of the differences.
template <typename T>
CNNPLAN_INLINE double subtract(const T* __restrict x,
                               const float* __restrict targets,
                               float* __restrict differences,
                               std::int64_t count) {
  double sum = 0.0;
  for (std::int64_t i = 0; i < count; ++i) {
    differences[i] = x[i] - targets[i];
    const double difference = differences[i];
    sum += difference * difference;
  }
  return sum;
}

template <typename T>
CNNPLAN_INLINE void scale(const float* __restrict from,
                          float factor,
                          T* __restrict to,
                          std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) to[i] = T(factor * from[i]);
}

template <typename T>
void forward(const Shape& shape, double count, const OperandsByRole& operands) {
  const std::int64_t channels = shape[Dim::c];
  CompensatedSum sum;
  for_each_run<T, float, float>(
      shape,
      {operands[Role::x], operands[Role::targets], operands[Role::differences]},
      [&](std::int64_t positions, const T* x, const float* targets, float* differences) {
        sum.add(vectorized<subtract<T>>(x, targets, differences, positions * channels));
      });
  *operands[Role::loss].as<double>() = sum.value() / count;
}

template <typename T>
void backward_data(const Shape& shape, double divisor, const OperandsByRole& operands) {
  const std::int64_t channels = shape[Dim::c];
  const auto factor = stored<float>(2.0 / divisor);
  for_each_run<float, T>(shape,
                         {operands[Role::differences], operands[Role::dx]},
                         [&](std::int64_t positions, const float* differences, T* dx) {
                           vectorized<scale<T>>(differences, factor, dx, positions * channels);
                         });
}

}  // namespace

std::unique_ptr<Kernel> make_mean_squared_error(const Library&,
                                                const KernelSpec& spec,
                                                const KernelConstants& constants) {
  const bool is_forward = spec.phase == KernelPhase::forward;
  return with_activation(spec.precision, [&]<typename T>(T) -> std::unique_ptr<Kernel> {
    return std::make_unique<FunctionKernel>(
        "loops", spec, [=](const OperandsByRole& operands, const StepState& state) {
          is_forward ? forward<T>(spec.in, constants.loss_count, operands)
                     : backward_data<T>(spec.in, constants.loss_count / state.loss_scale, operands);
        });
  });
}

}  // namespace cnnplan::onednn
