// Computes y = min(max(x, 0), limit). The gradient passes where 0 < y < limit.
#include <algorithm>

#include "executor/backend/element.hpp"
#include "executor/backend/reference/kernels.hpp"
#include "executor/backend/reference/tensor.hpp"

namespace cnnplan::reference {
namespace {

template <typename T>
void forward(const KernelSpec& spec, double limit, const OperandsByRole& operands) {
  const auto x = tensor<const T>(operands[Role::x], spec.in);
  const auto y = tensor<T>(operands[Role::y], spec.out);
  for_each_index(spec.out,
                 [&](const Index& i) { y[i] = std::min(std::max(x[i], T{0}), stored<T>(limit)); });
}

template <typename T>
void backward_data(const KernelSpec& spec, double limit, const OperandsByRole& operands) {
  const auto y = tensor<const T>(operands[Role::y], spec.out);
  const auto dy = tensor<const T>(operands[Role::dy], spec.out);
  const auto dx = tensor<T>(operands[Role::dx], spec.in);
  const auto clipped = stored<T>(limit);
  for_each_index(spec.in,
                 [&](const Index& i) { dx[i] = y[i] > T{0} && y[i] < clipped ? dy[i] : T{0}; });
}

}  // namespace

std::unique_ptr<Kernel> make_relu(const KernelSpec& spec, const KernelConstants& constants) {
  const double limit = rounded(activation_element(spec.precision), constants.relu_max);
  const bool is_forward = spec.phase == KernelPhase::forward;
  return make_loops(spec, [=]<typename T>(T, const OperandsByRole& operands, const StepState&) {
    is_forward ? forward<T>(spec, limit, operands) : backward_data<T>(spec, limit, operands);
  });
}

}  // namespace cnnplan::reference
