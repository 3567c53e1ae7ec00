// SGD with momentum and weight decay as PyTorch defines it, one pass.
#include "executor/backend/function_kernel.hpp"
#include "executor/backend/onednn/kernels.hpp"
#include "executor/backend/onednn/vectorize.hpp"

namespace cnnplan::onednn {
namespace {

struct Factors {
  float learning_rate = 0.0F;
  float momentum = 0.0F;
  float weight_decay = 0.0F;
  float gradient = 1.0F;
};

CNNPLAN_VECTORIZED void update(const Factors& factors,
                               const float* __restrict gradient,
                               float* __restrict weight,
                               float* __restrict velocity,
                               std::int64_t count) {
  const auto [learning_rate, momentum, weight_decay, unscale] = factors;
  for (std::int64_t i = 0; i < count; ++i) {
    velocity[i] = momentum * velocity[i] + (gradient[i] * unscale + weight_decay * weight[i]);
    weight[i] -= learning_rate * velocity[i];
  }
}

}  // namespace

std::unique_ptr<Kernel> make_sgd(const KernelSpec& spec) {
  const std::int64_t elements = volume(spec.out);
  return std::make_unique<FunctionKernel>(
      "loops", 3, [elements](Operands operands, const StepState& state) {
        update({.learning_rate = static_cast<float>(state.learning_rate),
                .momentum = static_cast<float>(state.momentum),
                .weight_decay = static_cast<float>(state.weight_decay),
                .gradient = static_cast<float>(1.0 / state.loss_scale)},
               operands[1].as<const float>(),
               operands[0].as<float>(),
               operands[2].as<float>(),
               elements);
      });
}

}  // namespace cnnplan::onednn
