// Sum of two tensors, with ReLU where asked for; also the accumulation of error signals.
#include <algorithm>

#include "executor/backend/reference/kernels.hpp"
#include "executor/backend/reference/tensor.hpp"

namespace cnnplan::reference {

std::unique_ptr<Kernel> make_add(const KernelSpec& spec) {
  return make_loops(spec, [spec]<typename T>(T, Operands operands, const StepState&) {
    const auto a = tensor<const T>(operands[0], spec.in);
    const auto b = tensor<const T>(operands[1], spec.in);
    const auto y = tensor<T>(operands[2], spec.out);
    for_each_index(spec.out, [&](const Index& i) {
      const T sum = a[i] + b[i];
      y[i] = spec.relu ? std::max(sum, T{0}) : sum;
    });
  });
}

}  // namespace cnnplan::reference
