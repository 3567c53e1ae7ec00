// Bias: y = x + bias of the channel; its gradient is the sum over positions.
#include <algorithm>

#include "executor/backend/reference/kernels.hpp"
#include "executor/backend/reference/tensor.hpp"

namespace cnnplan::reference {
namespace {

template <typename T>
void forward(const KernelSpec& spec, Operands operands) {
  const auto x = tensor<const T>(operands[0], spec.in);
  const auto* bias = operands[1].as<const T>();
  const auto y = tensor<T>(operands[2], spec.out);
  for_each_index(spec.out, [&](const Index& i) { y[i] = x[i] + bias[i[1]]; });
}

template <typename T>
void backward_filter(const KernelSpec& spec, Operands operands) {
  const auto dy = tensor<const T>(operands[0], spec.out);
  auto* dbias = operands[1].as<T>();
  std::fill_n(dbias, spec.out[Dim::c], T{0});
  for_each_index(spec.out, [&](const Index& i) { dbias[i[1]] += dy[i]; });
}

}  // namespace

std::unique_ptr<Kernel> make_bias(const KernelSpec& spec, const KernelConstants&) {
  const bool is_forward = spec.phase == KernelPhase::forward;
  return make_loops(spec, [=]<typename T>(T, Operands operands, const StepState&) {
    is_forward ? forward<T>(spec, operands) : backward_filter<T>(spec, operands);
  });
}

}  // namespace cnnplan::reference
