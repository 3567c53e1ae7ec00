// Writes the results of empty blocks: a rank that owns nothing still adds zeros to sums over ranks.
#include <algorithm>
#include <vector>

#include "executor/backend/element_wise_functions.hpp"
#include "executor/backend/function_kernel.hpp"
#include "executor/backend/onednn/convolution/convolution.hpp"
#include "executor/backend/onednn/elements.hpp"
#include "executor/backend/onednn/position_sums.hpp"
#include "executor/backend/onednn/weight_format.hpp"

namespace cnnplan::onednn {
namespace {

// Every window of a block without inputs lies in the padding.
template <typename T>
void fill_outputs(const KernelSpec& spec, const float* bias, T* y) {
  const std::int64_t channels = spec.out[Dim::c];
  const std::int64_t elements = volume(spec.out);
  for (std::int64_t i = 0; i < elements; ++i) {
    const float sum = bias ? bias[i % channels] : 0.0F;
    y[i] = T(spec.relu ? positive_part(sum) : sum);
  }
}

template <typename T>
void sum_bias_gradient(const Shape& out, const T* dy, float* dbias) {
  std::vector<double> sums(out[Dim::c], 0.0);
  if (volume(out) > 0) add_positions(dy, volume(out) / out[Dim::c], out[Dim::c], sums.data());
  std::transform(sums.begin(), sums.end(), dbias, stored<float>);
}

template <typename T>
void run(const KernelSpec& spec, std::int64_t weight_elements, const OperandsByRole& operands) {
  if (spec.phase == KernelPhase::forward) {
    fill_outputs(spec,
                 spec.bias ? operands[Role::bias].as<const float>() : nullptr,
                 operands[Role::y].as<T>());
  } else if (spec.phase == KernelPhase::backward_data) {
    std::fill_n(operands[Role::dx].as<T>(), volume(spec.in), T(0.0F));
  } else {
    std::fill_n(operands[Role::dweight].as<float>(), weight_elements, 0.0F);
    if (spec.bias) {
      sum_bias_gradient(
          spec.out, operands[Role::dy].as<const T>(), operands[Role::dbias].as<float>());
    }
  }
}

}  // namespace

std::unique_ptr<Kernel> make_empty_convolution(const KernelSpec& spec) {
  const std::int64_t weight_elements = stored_weight(spec).get_size() / sizeof(float);
  return with_activation(spec.precision, [&]<typename T>(T) -> std::unique_ptr<Kernel> {
    return std::make_unique<FunctionKernel>(
        "empty", spec, [=](const OperandsByRole& operands, const StepState&) {
          run<T>(spec, weight_elements, operands);
        });
  });
}

}  // namespace cnnplan::onednn
