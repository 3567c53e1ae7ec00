// Adds a bias: y = x + bias of the channel. The gradient of the bias is the sum over positions.
#include <algorithm>
#include <vector>

#include "executor/backend/reference/kernels.hpp"
#include "executor/backend/reference/tensor.hpp"

namespace cnnplan::reference {
namespace {

template <typename T>
void forward(const KernelSpec& spec, const OperandsByRole& operands) {
  const auto x = tensor<const T>(operands[Role::x], spec.in);
  const auto* bias = operands[Role::bias].as<const T>();
  const auto y = tensor<T>(operands[Role::y], spec.out);
  for_each_index(spec.out, [&](const Index& i) { y[i] = x[i] + bias[i[1]]; });
}

template <typename T>
void backward_filter(const KernelSpec& spec, const OperandsByRole& operands) {
  const auto dy = tensor<const T>(operands[Role::dy], spec.out);
  std::vector<double> sums(spec.out[Dim::c]);
  for_each_index(spec.out, [&](const Index& i) { sums[i[1]] += dy[i]; });
  std::transform(sums.begin(), sums.end(), operands[Role::dbias].as<T>(), stored<T>);
}

}  // namespace

std::unique_ptr<Kernel> make_bias(const KernelSpec& spec, const KernelConstants&) {
  const bool is_forward = spec.phase == KernelPhase::forward;
  return make_loops(spec, [=]<typename T>(T, const OperandsByRole& operands, const StepState&) {
    is_forward ? forward<T>(spec, operands) : backward_filter<T>(spec, operands);
  });
}

}  // namespace cnnplan::reference
