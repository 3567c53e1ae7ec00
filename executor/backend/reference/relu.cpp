// ReLU: y = max(x, 0); the gradient passes where y > 0.
#include <algorithm>

#include "executor/backend/reference/kernels.hpp"
#include "executor/backend/reference/tensor.hpp"

namespace cnnplan::reference {
namespace {

template <typename T>
void forward(const KernelSpec& spec, Operands operands) {
  const auto x = tensor<const T>(operands[0], spec.in);
  const auto y = tensor<T>(operands[1], spec.out);
  for_each_index(spec.out, [&](const Index& i) { y[i] = std::max(x[i], T{0}); });
}

template <typename T>
void backward_data(const KernelSpec& spec, Operands operands) {
  const auto y = tensor<const T>(operands[0], spec.out);
  const auto dy = tensor<const T>(operands[1], spec.out);
  const auto dx = tensor<T>(operands[2], spec.in);
  for_each_index(spec.in, [&](const Index& i) { dx[i] = y[i] > T{0} ? dy[i] : T{0}; });
}

}  // namespace

std::unique_ptr<Kernel> make_relu(const KernelSpec& spec) {
  const bool is_forward = spec.phase == KernelPhase::forward;
  return make_loops(spec, [=]<typename T>(T, Operands operands, const StepState&) {
    is_forward ? forward<T>(spec, operands) : backward_data<T>(spec, operands);
  });
}

}  // namespace cnnplan::reference
