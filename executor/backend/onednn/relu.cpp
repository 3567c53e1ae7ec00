// Computes ReLUs in one pass.
#include "executor/backend/onednn/elements.hpp"
#include "executor/backend/onednn/kernels.hpp"
#include "executor/backend/onednn/runs.hpp"
#include "executor/backend/onednn/vectorize.hpp"

namespace cnnplan::onednn {
namespace {

template <typename T>
CNNPLAN_VECTORIZED void clip(const T* x, float limit, T* y, std::int64_t count) {
  CNNPLAN_INDEPENDENT
  for (std::int64_t i = 0; i < count; ++i) {
    const float value = x[i];
    const float positive = value < 0.0F ? 0.0F : value;  // not-a-number stays
    y[i] = T(positive > limit ? limit : positive);
  }
}

template <typename T>
CNNPLAN_VECTORIZED void mask(const T* y, const T* dy, float limit, T* dx, std::int64_t count) {
  CNNPLAN_INDEPENDENT
  for (std::int64_t i = 0; i < count; ++i) {
    const float gradient = dy[i];
    const float output = y[i];
    const bool passes = (output > 0.0F) & (output < limit);
    dx[i] = T(passes ? gradient : 0.0F);
  }
}

template <typename T>
void forward(const Shape& shape, float limit, const OperandsByRole& operands) {
  for_each_run<T, T>(
      shape, {operands[Role::x], operands[Role::y]}, [&](std::int64_t positions, const T* x, T* y) {
        clip(x, limit, y, positions * shape[Dim::c]);
      });
}

template <typename T>
void backward_data(const Shape& shape, float limit, const OperandsByRole& operands) {
  for_each_run<T, T, T>(shape,
                        {operands[Role::y], operands[Role::dy], operands[Role::dx]},
                        [&](std::int64_t positions, const T* y, const T* dy, T* dx) {
                          mask(y, dy, limit, dx, positions * shape[Dim::c]);
                        });
}

}  // namespace

std::unique_ptr<Kernel> make_relu(const Library&,
                                  const KernelSpec& spec,
                                  const KernelConstants& constants) {
  const bool is_forward = spec.phase == KernelPhase::forward;
  return with_activation(spec.precision, [&]<typename T>(T) -> std::unique_ptr<Kernel> {
    // The limit is rounded as outputs are: a clipped output is not below the limit.
    const float limit = stored<T>(constants.relu_max);
    return std::make_unique<FunctionKernel>(
        "loops", spec, [=](const OperandsByRole& operands, const StepState&) {
          is_forward ? forward<T>(spec.out, limit, operands)
                     : backward_data<T>(spec.out, limit, operands);
        });
  });
}

}  // namespace cnnplan::onednn
