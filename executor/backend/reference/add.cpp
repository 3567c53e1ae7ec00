// Adds two tensors, the second scaled, with a ReLU where the kernel has one. It also accumulates
// error signals.
#include <algorithm>

#include "executor/backend/element_wise_functions.hpp"
#include "executor/backend/reference/kernels.hpp"
#include "executor/backend/reference/tensor.hpp"

namespace cnnplan::reference {
namespace {

template <typename T>
void forward(const KernelSpec& spec, double scale, const OperandsByRole& operands) {
  const auto a = tensor<const T>(operands[Role::a], spec.in);
  const auto b = tensor<const T>(operands[Role::b], spec.in);
  const auto y = tensor<T>(operands[Role::y], spec.out);
  for_each_index(spec.out, [&](const Index& i) {
    const T sum = a[i] + stored<T>(scale) * b[i];
    y[i] = spec.relu ? positive_part(sum) : sum;
  });
}

template <typename T>
void backward_data(const KernelSpec& spec, double scale, const OperandsByRole& operands) {
  const auto dy = tensor<const T>(operands[Role::dy], spec.out);
  const auto dx = tensor<T>(operands[Role::dx], spec.in);
  for_each_index(spec.in, [&](const Index& i) { dx[i] = stored<T>(scale) * dy[i]; });
}

}  // namespace

std::unique_ptr<Kernel> make_add(const KernelSpec& spec, const KernelConstants& constants) {
  const double scale = constants.add_scale;
  const bool is_forward = spec.phase == KernelPhase::forward;
  return make_loops(spec, [=]<typename T>(T, const OperandsByRole& operands, const StepState&) {
    is_forward ? forward<T>(spec, scale, operands) : backward_data<T>(spec, scale, operands);
  });
}

}  // namespace cnnplan::reference
