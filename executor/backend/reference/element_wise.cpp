// Computes the functions that element_wise_functions.hpp lists.
#include "executor/backend/element_wise_functions.hpp"
#include "executor/backend/reference/kernels.hpp"
#include "executor/backend/reference/tensor.hpp"

namespace cnnplan::reference {
namespace {

template <typename Function, typename T>
void run(const KernelSpec& spec, T parameter, const OperandsByRole& operands) {
  if (spec.phase == KernelPhase::forward) {
    const auto x = tensor<const T>(operands[Role::x], spec.in);
    const auto y = tensor<T>(operands[Role::y], spec.out);
    for_each_index(spec.out, [&](const Index& i) { y[i] = Function::forward(x[i], parameter); });
    return;
  }
  const auto saved = tensor<const T>(operands[saved_role(operands)], spec.out);
  const auto dy = tensor<const T>(operands[Role::dy], spec.out);
  const auto dx = tensor<T>(operands[Role::dx], spec.in);
  for_each_index(spec.in,
                 [&](const Index& i) { dx[i] = Function::backward(saved[i], dy[i], parameter); });
}

}  // namespace

std::unique_ptr<Kernel> make_element_wise(const KernelSpec& spec,
                                          const KernelConstants& constants) {
  return ElementWiseFunctions::with(spec.kind, [&]<typename Function>(Function) {
    const double parameter = parameter_of<Function>(spec, constants);
    return make_loops(spec, [=]<typename T>(T, const OperandsByRole& operands, const StepState&) {
      run<Function, T>(spec, stored<T>(parameter), operands);
    });
  });
}

}  // namespace cnnplan::reference
