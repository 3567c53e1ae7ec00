// Updates parameters by SGD with momentum and weight decay, as PyTorch defines it, in one pass.
#include "executor/backend/function_kernel.hpp"
#include "executor/backend/onednn/elements.hpp"
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

Factors factors_of(const StepState& state) {
  return {.learning_rate = stored<float>(state.learning_rate),
          .momentum = stored<float>(state.momentum),
          .weight_decay = stored<float>(state.weight_decay),
          .gradient = stored<float>(1.0 / state.loss_scale)};
}

struct Arrays {
  float* weight = nullptr;
  const float* gradient = nullptr;
  float* velocity = nullptr;
  BFloat16* copies = nullptr;  // only where the precision has copies
};

template <bool has_copies>
CNNPLAN_INLINE void update_elements(const Factors& factors,
                                    const Arrays& arrays,
                                    std::int64_t count) {
  const auto [learning_rate, momentum, weight_decay, unscale] = factors;
  float* const __restrict weight = arrays.weight;
  const float* const __restrict gradient = arrays.gradient;
  float* const __restrict velocity = arrays.velocity;
  [[maybe_unused]] BFloat16* const __restrict copies = arrays.copies;
  for (std::int64_t i = 0; i < count; ++i) {
    velocity[i] = momentum * velocity[i] + (gradient[i] * unscale + weight_decay * weight[i]);
    weight[i] -= learning_rate * velocity[i];
    if constexpr (has_copies) copies[i] = BFloat16(weight[i]);
  }
}

template <bool has_copies>
void update(const StepState& state, const OperandsByRole& operands, std::int64_t count) {
  vectorized<update_elements<has_copies>>(
      factors_of(state),
      Arrays{.weight = operands[Role::parameters].as<float>(),
             .gradient = operands[Role::gradient].as<const float>(),
             .velocity = operands[Role::momentum].as<float>(),
             .copies = has_copies ? operands[Role::copies].as<BFloat16>() : nullptr},
      count);
}

}  // namespace

std::unique_ptr<Kernel> make_sgd(const Library&, const KernelSpec& spec, const KernelConstants&) {
  const bool has_copies = has_weight_copies(spec.precision);
  return std::make_unique<FunctionKernel>(
      "loops",
      spec,
      [has_copies, elements = volume(spec.out)](const OperandsByRole& operands,
                                                const StepState& state) {
        has_copies ? update<true>(state, operands, elements)
                   : update<false>(state, operands, elements);
      });
}

}  // namespace cnnplan::onednn
