// Computes the functions that element_wise_functions.hpp lists, each in one pass.
#include "executor/backend/element_wise_functions.hpp"
#include "executor/backend/onednn/elements.hpp"
#include "executor/backend/onednn/kernels.hpp"
#include "executor/backend/onednn/runs.hpp"
#include "executor/backend/onednn/vectorize.hpp"

namespace cnnplan::onednn {
namespace {

template <typename Function, typename T>
CNNPLAN_INLINE void apply(const T* x, float parameter, T* y, std::int64_t count) {
  CNNPLAN_INDEPENDENT
  for (std::int64_t i = 0; i < count; ++i) y[i] = T(Function::forward(float(x[i]), parameter));
}

template <typename Function, typename T>
CNNPLAN_INLINE void differentiate(
    const T* saved, const T* dy, float parameter, T* dx, std::int64_t count) {
  CNNPLAN_INDEPENDENT
  for (std::int64_t i = 0; i < count; ++i) {
    dx[i] = T(Function::backward(float(saved[i]), float(dy[i]), parameter));
  }
}

template <typename Function, typename T>
void forward(const Shape& shape, float parameter, const OperandsByRole& operands) {
  for_each_run<T, T>(
      shape, {operands[Role::x], operands[Role::y]}, [&](std::int64_t positions, const T* x, T* y) {
        vectorized<apply<Function, T>>(x, parameter, y, positions * shape[Dim::c]);
      });
}

template <typename Function, typename T>
void backward_data(const Shape& shape, float parameter, const OperandsByRole& operands) {
  for_each_run<T, T, T>(shape,
                        {operands[saved_role(operands)], operands[Role::dy], operands[Role::dx]},
                        [&](std::int64_t positions, const T* saved, const T* dy, T* dx) {
                          vectorized<differentiate<Function, T>>(
                              saved, dy, parameter, dx, positions * shape[Dim::c]);
                        });
}

template <typename Function, typename T>
std::unique_ptr<Kernel> make(const KernelSpec& spec, const KernelConstants& constants) {
  const auto parameter = stored<float>(parameter_of<Function>(spec, constants));
  const bool is_forward = spec.phase == KernelPhase::forward;
  return std::make_unique<FunctionKernel>(
      "loops", spec, [=](const OperandsByRole& operands, const StepState&) {
        is_forward ? forward<Function, T>(spec.out, parameter, operands)
                   : backward_data<Function, T>(spec.out, parameter, operands);
      });
}

}  // namespace

std::unique_ptr<Kernel> make_element_wise(const Library&,
                                          const KernelSpec& spec,
                                          const KernelConstants& constants) {
  return ElementWiseFunctions::with(spec.kind, [&]<typename Function>(Function) {
    return with_activation(spec.precision,
                           [&]<typename T>(T) { return make<Function, T>(spec, constants); });
  });
}

}  // namespace cnnplan::onednn
