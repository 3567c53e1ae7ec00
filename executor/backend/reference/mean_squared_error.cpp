// Computes the mean of squared differences from targets.
#include "executor/backend/compensated_sum.hpp"
#include "executor/backend/reference/kernels.hpp"
#include "executor/backend/reference/tensor.hpp"

namespace cnnplan::reference {
namespace {

template <typename T>
void forward(const KernelSpec& spec, double count, const OperandsByRole& operands) {
  const auto x = tensor<const T>(operands[Role::x], spec.in);
  const auto targets = tensor<const T>(operands[Role::targets], spec.in);
  const auto differences = tensor<T>(operands[Role::differences], spec.in);
  CompensatedSum sum;
  for_each_index(spec.in, [&](const Index& i) {
    differences[i] = x[i] - targets[i];
    const double difference = differences[i];
    sum.add(difference * difference);
  });
  *operands[Role::loss].as<double>() = sum.value() / count;
}

template <typename T>
void backward_data(const KernelSpec& spec, double divisor, const OperandsByRole& operands) {
  const auto differences = tensor<const T>(operands[Role::differences], spec.in);
  const auto dx = tensor<T>(operands[Role::dx], spec.in);
  for_each_index(spec.in,
                 [&](const Index& i) { dx[i] = stored<T>(2.0 * differences[i] / divisor); });
}

}  // namespace

std::unique_ptr<Kernel> make_mean_squared_error(const KernelSpec& spec,
                                                const KernelConstants& constants) {
  const bool is_forward = spec.phase == KernelPhase::forward;
  return make_loops(spec,
                    [=]<typename T>(T, const OperandsByRole& operands, const StepState& state) {
                      if (is_forward) {
                        forward<T>(spec, constants.loss_count, operands);
                      } else {
                        backward_data<T>(spec, constants.loss_count / state.loss_scale, operands);
                      }
                    });
}

}  // namespace cnnplan::reference
