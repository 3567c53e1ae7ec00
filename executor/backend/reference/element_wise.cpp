// Computes the operations that element_wise_operations.hpp lists.
#include "executor/backend/element_wise_operations.hpp"
#include "executor/backend/reference/kernels.hpp"
#include "executor/backend/reference/tensor.hpp"

namespace cnnplan::reference {
namespace {

template <typename Operation, typename T>
void run(const KernelSpec& spec, T parameter, const OperandsByRole& operands) {
  if (spec.phase == KernelPhase::forward) {
    const auto x = tensor<const T>(operands[Role::x], spec.in);
    const auto y = tensor<T>(operands[Role::y], spec.out);
    for_each_index(spec.out, [&](const Index& i) { y[i] = Operation::forward(x[i], parameter); });
    return;
  }
  const auto saved = tensor<const T>(operands[saved_role(operands)], spec.out);
  const auto dy = tensor<const T>(operands[Role::dy], spec.out);
  const auto dx = tensor<T>(operands[Role::dx], spec.in);
  for_each_index(spec.in,
                 [&](const Index& i) { dx[i] = Operation::backward(saved[i], dy[i], parameter); });
}

}  // namespace

std::unique_ptr<Kernel> make_element_wise(const KernelSpec& spec,
                                          const KernelConstants& constants) {
  return ElementWiseOperations::with(spec.kind, [&]<typename Operation>(Operation) {
    const double parameter = parameter_of<Operation>(spec, constants);
    return make_loops(spec, [=]<typename T>(T, const OperandsByRole& operands, const StepState&) {
      run<Operation, T>(spec, stored<T>(parameter), operands);
    });
  });
}

}  // namespace cnnplan::reference
