// Updates parameters by SGD with momentum and weight decay, as PyTorch defines it.
#include "executor/backend/reference/kernels.hpp"
#include "executor/backend/reference/tensor.hpp"

namespace cnnplan::reference {

std::unique_ptr<Kernel> make_sgd(const KernelSpec& spec, const KernelConstants&) {
  const std::int64_t elements = volume(spec.out);
  return make_loops(
      spec, [elements]<typename T>(T, const OperandsByRole& operands, const StepState& state) {
        auto* weight = operands[Role::parameters].as<T>();
        const auto* gradient = operands[Role::gradient].as<const T>();
        auto* momentum = operands[Role::momentum].as<T>();
        auto* copy = operands.has(Role::copies) ? operands[Role::copies].as<T>() : nullptr;
        const auto loss_scale = stored<T>(state.loss_scale);
        for (std::int64_t i = 0; i < elements; ++i) {
          const T decayed = gradient[i] / loss_scale + stored<T>(state.weight_decay) * weight[i];
          momentum[i] = stored<T>(state.momentum) * momentum[i] + decayed;
          weight[i] -= stored<T>(state.learning_rate) * momentum[i];
          if (copy != nullptr) copy[i] = weight[i];
        }
      });
}

}  // namespace cnnplan::reference
