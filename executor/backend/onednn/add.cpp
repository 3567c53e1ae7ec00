// Adds two tensors, the second scaled, with a ReLU where the kernel has one. It also accumulates
// error signals. A factor of 1 costs no time: memory is slower than the multiplication.
#include "executor/backend/element_wise_functions.hpp"
#include "executor/backend/onednn/elements.hpp"
#include "executor/backend/onednn/kernels.hpp"
#include "executor/backend/onednn/runs.hpp"
#include "executor/backend/onednn/vectorize.hpp"

namespace cnnplan::onednn {
namespace {

template <typename T>
CNNPLAN_INLINE void add(const T* a, const T* b, Computed<T> scale, T* y, std::int64_t count) {
  CNNPLAN_INDEPENDENT
  for (std::int64_t i = 0; i < count; ++i) {
    y[i] = T(a[i] + scale * b[i]);
  }
}

template <typename T>
CNNPLAN_INLINE void add_relu(const T* a, const T* b, float scale, T* y, std::int64_t count) {
  CNNPLAN_INDEPENDENT
  for (std::int64_t i = 0; i < count; ++i) {
    const float sum = a[i] + scale * b[i];
    y[i] = T(positive_part(sum));
  }
}

template <typename T>
CNNPLAN_INLINE void multiply(const T* dy, float scale, T* dx, std::int64_t count) {
  CNNPLAN_INDEPENDENT
  for (std::int64_t i = 0; i < count; ++i) dx[i] = T(scale * dy[i]);
}

// `loop` is one of the loops above.
template <typename T, auto loop>
void forward(const KernelSpec& spec, Computed<T> scale, const OperandsByRole& operands) {
  for_each_run<T, T, T>(spec.out,
                        {operands[Role::a], operands[Role::b], operands[Role::y]},
                        [&](std::int64_t positions, const T* a, const T* b, T* y) {
                          vectorized<loop>(a, b, scale, y, positions * spec.out[Dim::c]);
                        });
}

template <typename T>
void backward_data(const KernelSpec& spec, float scale, const OperandsByRole& operands) {
  for_each_run<T, T>(spec.out,
                     {operands[Role::dy], operands[Role::dx]},
                     [&](std::int64_t positions, const T* dy, T* dx) {
                       vectorized<multiply<T>>(dy, scale, dx, positions * spec.out[Dim::c]);
                     });
}

}  // namespace

std::unique_ptr<Kernel> make_add(const Library&,
                                 const KernelSpec& spec,
                                 const KernelConstants& constants) {
  const auto scale = stored<float>(constants.add_scale);
  const bool is_forward = spec.phase == KernelPhase::forward;
  return with_activation(spec.precision, [&]<typename T>(T) -> std::unique_ptr<Kernel> {
    return std::make_unique<FunctionKernel>(
        "loops", spec, [=](const OperandsByRole& operands, const StepState&) {
          if (!is_forward) return backward_data<T>(spec, scale, operands);
          spec.relu ? forward<T, add_relu<T>>(spec, scale, operands)
                    : forward<T, add<T>>(spec, scale, operands);
        });
  });
}

std::unique_ptr<Kernel> make_add_doubles(const KernelSpec& spec) {
  return std::make_unique<FunctionKernel>(
      "loops", spec, [spec](const OperandsByRole& operands, const StepState&) {
        forward<double, add<double>>(spec, 1.0, operands);
      });
}

}  // namespace cnnplan::onednn
